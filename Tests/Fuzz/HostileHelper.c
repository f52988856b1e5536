// A helper process that answers whatever a script says: the input of FuzzHelper.swift.
//
// The script is the file /dev/shm/descant-fuzz-PID of the host with this number. Each of its steps is a byte that says what is done, then what
// that takes; numbers are little-endian. At the end of the script the helper ends.
//
//   bits 0 to 2:  0 to 3  answers the next request: done, frames, failed, speech
//                 4       answers with a kind of four bytes
//                 5       writes to the memory that is shared with the host: two bytes of length, the bytes
//                 6       writes to the memory that came with the last request
//                 7       asks for a file: a byte of length, the message
//   bit 3:        the answer's numbers have eight bytes each, otherwise two
//   bit 4:        the answer has another request's number
//   bit 5:        the payload of an answer has 32,000 bytes more than its script says
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "HelperProcess.h"

static uint8_t *next, *end;

static uint64_t take(size_t count) {
  uint64_t value = 0;
  if ((size_t)(end - next) < count) exit(0);
  memcpy(&value, next, count);
  next += count;
  return value;
}

// Bytes of the script, at most those that are left.
static uint8_t *take_bytes(size_t *count) {
  uint8_t *bytes = next;
  if (*count > (size_t)(end - next)) *count = (size_t)(end - next);
  next += *count;
  return bytes;
}

static int64_t take_number(int is_wide) { return is_wide ? (int64_t)take(8) : (int16_t)take(2); }

// Waits for the next request; returns its number, and keeps the last descriptor that came with it.
static uint32_t request(int *descriptor) {
  uint8_t bytes[32768];
  int descriptors[16], count = 0;
  if (descant_wait_readable(descant_helper_socket, -1) <= 0) exit(0);
  ssize_t length = descant_receive(descant_helper_socket, bytes, sizeof bytes, descriptors, &count);
  if (length < 8) exit(0);
  for (int i = 0; i < count; i++) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = descriptors[i];
  }
  uint32_t sequence;
  memcpy(&sequence, bytes + 4, 4);
  return sequence;
}

static void answer(uint32_t sequence, uint32_t kind, int64_t first, int64_t second, double number, const uint8_t *payload, size_t length, size_t more) {
  static uint8_t message[40 + 65536 + 32000];
  uint32_t mark = 0x44534e31;
  memset(message, 0, 40);
  memcpy(message, &mark, 4);
  memcpy(message + 4, &sequence, 4);
  memcpy(message + 8, &kind, 4);
  memcpy(message + 16, &first, 8);
  memcpy(message + 24, &second, 8);
  memcpy(message + 32, &number, 8);
  memcpy(message + 40, payload, length);
  if (send(descant_helper_socket, message, 40 + length + more, MSG_NOSIGNAL) < 0) exit(0);
}

int main(int count, char **arguments) {
  char path[64];
  struct stat status;
  if (count < 3) return 64;
  snprintf(path, sizeof path, "/dev/shm/descant-fuzz-%d", atoi(arguments[1]));
  int script = open(path, O_RDONLY | O_CLOEXEC);
  if (script < 0 || fstat(script, &status)) return 65;
  next = malloc((size_t)status.st_size + 1);
  end = next + read(script, next, (size_t)status.st_size);
  uint8_t *shared = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, descant_helper_memory, 0);
  if (shared == MAP_FAILED) return 66;
  answer(0, 100, 0, 0, 0, shared, 0, 0);
  for (int descriptor = -1;;) {
    uint8_t step = (uint8_t)take(1);
    size_t length;
    switch (step & 7) {
    case 5:
      length = take(2);
      uint8_t *bytes = take_bytes(&length);
      memcpy(shared, bytes, length);
      break;
    case 6:
      // Only the request brings the memory; its answer is the next step.
      length = take(2);
      bytes = take_bytes(&length);
      uint32_t sequence = request(&descriptor);
      if (descriptor >= 0 && pwrite(descriptor, bytes, length, 0) < 0) exit(0);
      answer(sequence, 100, (int64_t)length, 0, 0, bytes, 0, 0);
      break;
    case 7:
      length = take(1);
      bytes = take_bytes(&length);
      send(descant_helper_files, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
      break;
    default: {
      uint32_t kind = (step & 7) == 4 ? (uint32_t)take(4) : 100 + (step & 7);
      int64_t first = take_number(step & 8), second = take_number(step & 8), bits = take_number(step & 8);
      double number = (double)bits;
      if (step & 8) memcpy(&number, &bits, 8);
      length = take(2);
      bytes = take_bytes(&length);
      answer(request(&descriptor) + !!(step & 16), kind, first, second, number, bytes, length, step & 32 ? 32000 : 0);
    }
    }
  }
}
