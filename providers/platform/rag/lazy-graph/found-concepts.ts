import { createNumbers, release } from '../../columns/numbers.ts'

/** A concept that a chunk's text or title has. */
export interface FoundConcept {
  concept: number
  /** How often the chunk's own text mentions it. */
  mentions: number
  /** Ascending; the title before the others. */
  sentences: readonly number[]
}

/** What was found in each chunk, until it is known which concepts are kept. Nearly all numbers fit into a byte, which is what they take. */
export interface FoundConcepts {
  readonly chunks: number
  /** Adds a concept of the chunk that is not at its end yet. */
  add(found: FoundConcept): void
  endChunk(): void
  /** The concepts of the chunks in the order in which they were added: those of another chunk with each call. */
  next(): FoundConcept[]
  /** Frees the memory; nothing may be added or read after it. */
  clear(): void
}

/** Bits of a number in each of its bytes; the highest bit means that more follow. */
const BITS = 7
const MORE = 1 << BITS

/** Nothing found yet. */
export function createFoundConcepts(): FoundConcepts {
  const concepts = createNumbers()
  const ends = createNumbers()
  let bytes = new Uint8Array(1024)
  let length = 0
  let [chunk, entry, at] = [0, 0, 0]

  const write = (number: number): void => {
    if (length + 5 > bytes.length) bytes = new Uint8Array(bytes.buffer.transfer(2 * bytes.length))
    for (let rest = number; ; rest >>>= BITS) {
      bytes[length] = rest < MORE ? rest : (rest & (MORE - 1)) | MORE
      length += 1
      if (rest < MORE) return
    }
  }
  const read = (): number => {
    for (let number = 0, shift = 0; ; shift += BITS) {
      const byte = bytes[at]!
      at += 1
      number |= (byte & (MORE - 1)) << shift
      if (byte < MORE) return number
    }
  }

  return {
    get chunks() {
      return ends.length
    },
    add({ concept, mentions, sentences }) {
      concepts.push(concept)
      write(mentions)
      write(sentences.length)
      // One more than the number, so that the title is no negative one.
      for (const sentence of sentences) write(sentence + 1)
    },
    endChunk() {
      ends.push(concepts.length)
    },
    next() {
      const found: FoundConcept[] = []
      for (; entry < ends.at(chunk); entry += 1) {
        const mentions = read()
        const sentences: number[] = []
        for (let left = read(); left > 0; left -= 1) sentences.push(read() - 1)
        found.push({ concept: concepts.at(entry), mentions, sentences })
      }
      chunk += 1
      return found
    },
    clear() {
      release(concepts.done(), ends.done())
      bytes.buffer.transfer(0)
    },
  }
}
