import { createNumbers, release } from '../../stores/columns/numbers.ts'

/** A stem and the chunks that hold it, as the index file has them: the first chunk, then the distance of each from the one before. */
export type StoredStem = [stem: string, distances: number[]]

/** In which chunks each stem appears, titles included: what a question needs to know of many chunks without reading their texts. */
export class StemHolders implements Iterable<StoredStem> {
  readonly #numbers: ReadonlyMap<string, number>
  readonly #from: Int32Array
  readonly #chunks: Int32Array

  /** `stems` in their order; chunks of one stem after the other, ascending. */
  constructor(stems: readonly string[], from: Int32Array, chunks: Int32Array) {
    this.#numbers = new Map(stems.map((stem, number) => [stem, number]))
    this.#from = from
    this.#chunks = chunks
  }

  /** Chunks that hold a stem, ascending. */
  chunksOf(stem: string): Int32Array {
    const number = this.#numbers.get(stem)
    return number === undefined ? NONE : this.#chunks.subarray(this.#from[number], this.#from[number + 1])
  }

  *[Symbol.iterator](): Generator<StoredStem> {
    for (const stem of this.#numbers.keys()) {
      const chunks = this.chunksOf(stem)
      yield [stem, Array.from(chunks, (chunk, at) => (at === 0 ? chunk : chunk - chunks[at - 1]!))]
    }
  }
}

const NONE = new Int32Array(0)

/** True when a chunk is among chunks in ascending order. */
export function holdsChunk(chunks: Int32Array, chunk: number): boolean {
  let low = 0
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (chunks[middle]! < chunk) low = middle + 1
    else high = middle
  }
  return chunks[low] === chunk
}

/** Collects the stems of chunks, of one chunk after the other from the first one on. */
export function createStemHolders() {
  const numbers = new Map<string, number>()
  const stemOf = createNumbers()
  /** States where the stems of each chunk end in `stemOf`. */
  const ends = createNumbers()
  return {
    add(stems: Iterable<string>): void {
      for (const stem of stems) {
        const number = numbers.get(stem) ?? numbers.size
        if (number === numbers.size) numbers.set(stem, number)
        stemOf.push(number)
      }
      ends.push(stemOf.length)
    },
    done(): StemHolders {
      const stems = [...numbers.keys()].sort()
      const places = new Int32Array(stems.length)
      for (const [place, stem] of stems.entries()) places[numbers.get(stem)!] = place
      const all = stemOf.done()
      const from = new Int32Array(stems.length + 1)
      for (const number of all) from[places[number]! + 1]! += 1
      for (let place = 0; place < stems.length; place += 1) from[place + 1]! += from[place]!
      const next = from.slice(0, stems.length)
      const chunks = new Int32Array(all.length)
      for (let chunk = 0, at = 0; chunk < ends.length; chunk += 1)
        for (; at < ends.at(chunk); at += 1) {
          const place = places[all[at]!]!
          chunks[next[place]!] = chunk
          next[place]! += 1
        }
      release(all, places, next, ends.done())
      return new StemHolders(stems, from, chunks)
    },
  }
}

/** Collects the stems of an index file. */
export function createStoredStems() {
  const stems: string[] = []
  const from = createNumbers()
  const chunks = createNumbers()
  return {
    add([stem, distances]: StoredStem): void {
      stems.push(stem)
      from.push(chunks.length)
      let chunk = 0
      for (const distance of distances) {
        chunk += distance
        chunks.push(chunk)
      }
    },
    done(): StemHolders {
      from.push(chunks.length)
      return new StemHolders(stems, from.done(), chunks.done())
    },
  }
}
