import { fillBits, scaledBits, streamState } from '../../main/statistics/random.ts'

/** A deterministic stream of numbers; not for secrets. */
export interface RandomStream {
  /** 0 to 2³² − 1. */
  nextUint32(): number
  /** 0 ≤ x < 1, a multiple of 2⁻⁵³. */
  uniform(): number
  /** A whole number 0 ≤ x < n, n up to 2²¹; its probabilities differ by less than n / 2³². */
  below(n: number): number
}

/** The stream that `seed` names: the same numbers on every platform, since it uses integer arithmetic only. */
export function seededRandom(seed: string): RandomStream {
  const state = streamState(seed)
  const ahead = new Uint32Array(64)
  let at = ahead.length
  const next = (): number => {
    if (at === ahead.length) {
      fillBits(state, ahead)
      at = 0
    }
    return ahead[at++]!
  }
  return {
    nextUint32: next,
    uniform: () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53,
    below: (n) => scaledBits(next(), n),
  }
}
