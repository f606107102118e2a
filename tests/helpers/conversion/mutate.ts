import { randomFrom } from '../random.ts'

/** A copy of a file with faults of the kinds that disks, networks and attackers make: flipped bytes, cut ends, repeated and zeroed runs. */
export function mutated(bytes: Uint8Array, seed: number): Uint8Array<ArrayBuffer> {
  const random = randomFrom(seed)
  const at = (length: number): number => Math.floor(random() * length)
  let copy = new Uint8Array(bytes)
  for (let faults = 1 + at(4); faults > 0; faults -= 1) {
    const from = at(copy.length)
    const length = 1 + at(Math.min(400, Math.max(1, copy.length - from)))
    switch (at(5)) {
      case 0:
        for (let count = 1 + at(30); count > 0; count -= 1) copy[at(copy.length)] = at(256)
        break
      case 1:
        copy = copy.slice(0, Math.max(8, at(copy.length)))
        break
      case 2:
        copy.fill(0, from, from + length)
        break
      case 3: {
        const grown = new Uint8Array(copy.length + length)
        grown.set(copy.subarray(0, from + length))
        grown.set(copy.subarray(from), from + length)
        copy = grown
        break
      }
      default:
        // A number that a parser may trust: sizes, counts, offsets.
        new DataView(copy.buffer).setUint32(
          Math.min(from, Math.max(0, copy.length - 4)),
          at(2) === 0 ? 0xffffffff : 0x7fffffff,
          true,
        )
    }
  }
  return copy
}
