/**
 * A trigram model as the Sphinx programs keep it in their binary form. An n-gram is reached from its last word backwards: word `w3` has the
 * bigrams `w2 w3`, each of which has the trigrams `w1 w2 w3`; in each range words ascend. Probabilities and back-off weights are numbers of
 * entries in tables of 65,536 values; values are logarithms to the base 1.0001.
 */
export interface TrieModel {
  words: string[]
  /** Per word, and one more: where its bigrams begin. */
  unigrams: { prob: Float32Array; backOff: Float32Array; next: Uint32Array }
  /** Per bigram, `next` one more: where its trigrams begin. */
  bigrams: { word: Uint32Array; prob: Uint16Array; backOff: Uint16Array; next: Uint32Array }
  trigrams: { word: Uint32Array; prob: Uint16Array }
  tables: { bigramProb: Float32Array; bigramBackOff: Float32Array; trigramProb: Float32Array }
}

const MAGIC = Buffer.from('Trie Language Model')
const BINS = 65_536
const VALUE_BITS = 16
/** Readers of the format take eight bytes at a time. */
const SPARE_BYTES = 8

/** Natural logarithm of the base that values are logarithms to. */
export const LOG_BASE = Math.log(1.0001)

interface Layout {
  wordBits: number
  nextBits: number
  bigramBits: number
  trigramBits: number
  bigramBytes: number
  trigramBytes: number
}

function layoutOf(words: number, bigrams: number, trigrams: number): Layout {
  const wordBits = bitsFor(words)
  const nextBits = bitsFor(trigrams)
  const bigramBits = wordBits + 2 * VALUE_BITS + nextBits
  const trigramBits = wordBits + VALUE_BITS
  const bytes = (count: number, bits: number) => Math.floor(((count + 1) * bits + 7) / 8) + SPARE_BYTES
  return {
    wordBits,
    nextBits,
    bigramBits,
    trigramBits,
    bigramBytes: bytes(bigrams, bigramBits),
    trigramBytes: bytes(trigrams, trigramBits),
  }
}

/** Throws when the bytes are no trigram model in this form. */
export function readTrieModel(file: Buffer): TrieModel {
  let at = MAGIC.length
  if (!file.subarray(0, at).equals(MAGIC) || file[at] !== 3)
    throw new Error('invalid model: expected a binary trigram model of sphinxbase')
  const [words, bigrams, trigrams] = [1, 5, 9].map((offset) => file.readUInt32LE(at + offset)) as [
    number,
    number,
    number,
  ]
  // Behind the counts stands a number without a meaning.
  at += 1 + 3 * 4 + 4
  const take = (bytes: number) => {
    if (at + bytes > file.length)
      throw new Error(`the model ends at byte ${file.length}, in the middle of what it declares`)
    at += bytes
    return Uint8Array.from(file.subarray(at - bytes, at))
  }
  const table = () => new Float32Array(take(BINS * 4).buffer)
  const tables = { bigramProb: table(), bigramBackOff: table(), trigramProb: table() }
  const records = new DataView(take((words + 1) * 12).buffer)
  const column = <Column extends Float32Array | Uint32Array>(to: Column, read: (at: number) => number): Column => {
    for (let i = 0; i <= words; i += 1) to[i] = read(i * 12)
    return to
  }
  const layout = layoutOf(words, bigrams, trigrams)
  const unigrams = {
    prob: column(new Float32Array(words + 1), (i) => records.getFloat32(i, true)),
    backOff: column(new Float32Array(words + 1), (i) => records.getFloat32(i + 4, true)),
    next: column(new Uint32Array(words + 1), (i) => records.getUint32(i + 8, true)),
  }
  const model: TrieModel = {
    words: [],
    unigrams,
    bigrams: readBigrams(take(layout.bigramBytes), bigrams, layout),
    trigrams: readTrigrams(take(layout.trigramBytes), trigrams, layout),
    tables,
  }
  const names = take(new DataView(take(4).buffer).getUint32(0, true))
  model.words = Buffer.from(names).toString('utf8').split('\0').slice(0, -1)
  if (model.words.length !== words) throw new Error(`${words} words are declared, but ${model.words.length} are stored`)
  return model
}

function readBigrams(bytes: Uint8Array, count: number, layout: Layout): TrieModel['bigrams'] {
  const fields = new BitFields(bytes)
  const { wordBits, nextBits, bigramBits } = layout
  const bigrams = {
    word: new Uint32Array(count),
    prob: new Uint16Array(count),
    backOff: new Uint16Array(count),
    next: new Uint32Array(count + 1),
  }
  for (let i = 0; i <= count; i += 1) {
    const bit = i * bigramBits
    bigrams.next[i] = fields.read(bit + wordBits + 2 * VALUE_BITS, nextBits)
    if (i === count) break
    bigrams.word[i] = fields.read(bit, wordBits)
    bigrams.backOff[i] = fields.read(bit + wordBits, VALUE_BITS)
    bigrams.prob[i] = fields.read(bit + wordBits + VALUE_BITS, VALUE_BITS)
  }
  return bigrams
}

function readTrigrams(bytes: Uint8Array, count: number, { wordBits, trigramBits }: Layout): TrieModel['trigrams'] {
  const fields = new BitFields(bytes)
  const trigrams = { word: new Uint32Array(count), prob: new Uint16Array(count) }
  for (let i = 0; i < count; i += 1) {
    trigrams.word[i] = fields.read(i * trigramBits, wordBits)
    trigrams.prob[i] = fields.read(i * trigramBits + wordBits, VALUE_BITS)
  }
  return trigrams
}

/** The model as a file that the Sphinx programs read. */
export function writeTrieModel({ words, unigrams, bigrams, trigrams, tables }: TrieModel): Buffer {
  const layout = layoutOf(words.length, bigrams.word.length, trigrams.word.length)
  const head = Buffer.alloc(MAGIC.length + 1 + 3 * 4 + 4)
  MAGIC.copy(head)
  head[MAGIC.length] = 3
  ;[words.length, bigrams.word.length, trigrams.word.length, 1].forEach((value, i) =>
    head.writeUInt32LE(value, MAGIC.length + 1 + 4 * i),
  )
  const records = Buffer.alloc((words.length + 1) * 12)
  for (let i = 0; i <= words.length; i += 1) {
    records.writeFloatLE(unigrams.prob[i]!, i * 12)
    records.writeFloatLE(unigrams.backOff[i]!, i * 12 + 4)
    records.writeUInt32LE(unigrams.next[i]!, i * 12 + 8)
  }
  const names = Buffer.from(words.map((word) => `${word}\0`).join(''))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(names.length)
  return Buffer.concat([
    head,
    ...[tables.bigramProb, tables.bigramBackOff, tables.trigramProb].map((table) => new Uint8Array(table.buffer)),
    records,
    bigramBytes(bigrams, layout),
    trigramBytes(trigrams, layout),
    length,
    names,
  ])
}

function bigramBytes({ word, prob, backOff, next }: TrieModel['bigrams'], layout: Layout): Uint8Array {
  const bytes = new Uint8Array(layout.bigramBytes)
  const fields = new BitFields(bytes)
  const { wordBits, bigramBits } = layout
  for (let i = 0; i <= word.length; i += 1) {
    const bit = i * bigramBits
    fields.write(bit + wordBits + 2 * VALUE_BITS, next[i]!)
    if (i === word.length) break
    fields.write(bit, word[i]!)
    fields.write(bit + wordBits, backOff[i]!)
    fields.write(bit + wordBits + VALUE_BITS, prob[i]!)
  }
  return bytes
}

function trigramBytes({ word, prob }: TrieModel['trigrams'], { wordBits, trigramBits, ...layout }: Layout): Uint8Array {
  const bytes = new Uint8Array(layout.trigramBytes)
  const fields = new BitFields(bytes)
  for (let i = 0; i < word.length; i += 1) {
    fields.write(i * trigramBits, word[i]!)
    fields.write(i * trigramBits + wordBits, prob[i]!)
  }
  return bytes
}

/** Bits that a number needs; none for 0. */
function bitsFor(max: number): number {
  return 32 - Math.clz32(max)
}

/** Unsigned fields of up to 25 bits at any bit of a byte array, the lowest bit first; four spare bytes must follow the last field. */
class BitFields {
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  read(bit: number, width: number): number {
    return (this.#view.getUint32(Math.floor(bit / 8), true) >>> (bit % 8)) & ((1 << width) - 1)
  }

  /** Where nothing but zeros was written before. */
  write(bit: number, value: number): void {
    const byte = Math.floor(bit / 8)
    this.#view.setUint32(byte, (this.#view.getUint32(byte, true) | (value << (bit % 8))) >>> 0, true)
  }
}
