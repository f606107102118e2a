import { createNumbers } from '../../stores/columns/numbers.ts'
import { createTextTable, type TextTable } from '../../stores/columns/text-table.ts'
import { KINDS, type ConceptKind } from './concepts.ts'

/** A concept as the index file has it: its key, its kind, and a number whose meaning depends on the list. */
export type ListedConcept = [key: string, kind: ConceptKind, number: number]

const isNaming = (kind: ConceptKind): boolean => kind !== 'phrase' && kind !== 'word'

/** Concepts in their order, outside the heap of JavaScript: as lists of their own they would take several times the memory. */
export class ConceptList implements Iterable<ListedConcept> {
  readonly #texts: TextTable
  readonly #keys: Int32Array
  readonly #kinds: Int32Array
  readonly #numbers: Int32Array
  /** By text: the last position of a code or name, plus one; 0 for texts that are only words and phrases. */
  readonly #named: Int32Array

  constructor(texts: TextTable, keys: Int32Array, kinds: Int32Array, numbers: Int32Array) {
    this.#texts = texts
    this.#keys = keys
    this.#kinds = kinds
    this.#numbers = numbers
    this.#named = new Int32Array(texts.size)
    for (let position = 0; position < keys.length; position += 1)
      if (isNaming(KINDS[kinds[position]!]!)) this.#named[keys[position]!] = position + 1
  }

  get length(): number {
    return this.#keys.length
  }

  /** The concept at a position; undefined beyond the last one. */
  at(position: number): ListedConcept | undefined {
    if (!(position >= 0 && position < this.length)) return undefined
    return [this.#texts.text(this.#keys[position]!), KINDS[this.#kinds[position]!]!, this.#numbers[position]!]
  }

  /** Returns where the code or proper name with a key is; null for words and unknown keys. */
  named(key: string): number | null {
    const text = this.#texts.find(key)
    const position = text === undefined ? 0 : this.#named[text]!
    return position === 0 ? null : position - 1
  }

  *[Symbol.iterator](): Generator<ListedConcept> {
    for (let position = 0; position < this.length; position += 1) yield this.at(position)!
  }
}

/** Collects concepts in their order. */
export interface ConceptCollector {
  readonly length: number
  add(concept: Readonly<ListedConcept>): void
  done(): ConceptList
}

/** An empty list. */
export function createConceptList(): ConceptCollector {
  const texts = createTextTable()
  const [keys, kinds, numbers] = [createNumbers(), createNumbers(), createNumbers()]
  return {
    get length() {
      return keys.length
    },
    add([key, kind, number]) {
      keys.push(texts.add(key))
      kinds.push(KINDS.indexOf(kind))
      numbers.push(number)
    },
    done: () => new ConceptList(texts, keys.done(), kinds.done(), numbers.done()),
  }
}
