"""What the simulated device says of itself: an H200's answers, under a name of its own."""

NAME = "NVIDIA H200 (simulated)"
TOTAL_MEMORY = 150_120_824_832
CONTEXT_MEMORY = 640 << 20
PCI_DEVICE_ID = 34
LIMITS = {0: 1024, 1: 7 << 20, 2: 8_388_608, 4: 2048, 5: 128, 6: 0}
ATTRIBUTES = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 0x7FFFFFFF, 6: 65535, 7: 65535, 8: 49152, 10: 32, 16: 132, 33: 1, 34: 0, 41: 1, 75: 9, 76: 0}
