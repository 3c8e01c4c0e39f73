__global__ void walk(Node *node, Node **found) {
    ...         // about two lines
}
