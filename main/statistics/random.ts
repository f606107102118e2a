import { hash } from 'node:crypto'

/** State of one stream: four 32-bit words that are not all zero. */
type StreamState = Int32Array

/** The stream that a text names: the first 16 bytes of its SHA-256 (UTF-8), as four little-endian words. */
export function streamState(seed: string): StreamState {
  const digest = hash('sha256', seed, 'buffer')
  return Int32Array.from([0, 4, 8, 12], (offset) => digest.readInt32LE(offset))
}

/**
 * Fills `out` with 32 random bits each and steps the state: xoshiro128** 1.1 (Blackman and Vigna 2021, ACM TOMS 47:4, article 36). By the
 * array, because the state then stays in registers.
 */
export function fillBits(state: StreamState, out: Uint32Array): void {
  let s0 = state[0]!
  let s1 = state[1]!
  let s2 = state[2]!
  let s3 = state[3]!
  for (let at = 0; at < out.length; at += 1) {
    const product = Math.imul(s1, 5)
    out[at] = Math.imul((product << 7) | (product >>> 25), 9)
    const shifted = s1 << 9
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << 11) | (s3 >>> 21)
  }
  state[0] = s0
  state[1] = s1
  state[2] = s2
  state[3] = s3
}

/** One of 0 … n − 1 from 32 bits, exact in doubles for n up to 2²¹. */
export const scaledBits = (bits: number, n: number): number => Math.floor((bits * n) / 2 ** 32)
