__global__ void walk(Node *node, Node **found) {
    for (; node != NULL; node = node->next)
        *found++ = node;
}
