import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adaptModel } from './adapt-model.ts'
import { learnLetterSounds } from './letter-sounds.ts'
import { numberWords } from './number-words.ts'
import { addedEntries, readDictionary } from './pronunciations.ts'
import { spokenSentences } from './spoken-sentences.ts'
import { LOG_BASE, readTrieModel, writeTrieModel } from './trie-model.ts'
import type { TrieModel } from './trie-model.ts'

const WORDS = ['</s>', '<s>', 'the', 'old', 'mill', 'river']
const [END, BEGIN, THE, OLD, MILL] = [0, 1, 2, 3, 4]

/** A model of equal unigrams, the bigrams "<s> the" and "the old", and the trigram "<s> the old". */
function smallModel(): TrieModel {
  const at = (prob: number) => Math.log(prob) / LOG_BASE
  const table = () => Float32Array.from({ length: 65_536 }, (_, i) => at(0.001 + (0.999 * i) / 65_535))
  const bin = (prob: number) => Math.round(((prob - 0.001) / 0.999) * 65_535)
  return {
    words: WORDS,
    unigrams: {
      prob: Float32Array.from([...WORDS.map(() => at(1 / WORDS.length)), 0]),
      // What is left of each context over what its followers have as unigrams.
      backOff: Float32Array.from([0, at(0.5 / (5 / 6)), at(0.4 / (5 / 6)), 0, 0, 0, 0]),
      next: Uint32Array.from([0, 0, 0, 1, 2, 2, 2]),
    },
    bigrams: {
      word: Uint32Array.from([BEGIN, THE]),
      prob: Uint16Array.from([bin(0.5), bin(0.6)]),
      backOff: Uint16Array.from([bin(0.25), bin(1)]),
      next: Uint32Array.from([0, 0, 1]),
    },
    trigrams: { word: Uint32Array.from([BEGIN]), prob: Uint16Array.from([bin(0.9)]) },
    tables: { bigramProb: table(), bigramBackOff: table(), trigramProb: table() },
  }
}

/** p(last | first middle) with back-off, as the program computes it. */
function probability(model: TrieModel, context: readonly number[], last: number): number {
  const { unigrams, bigrams, trigrams, tables } = model
  const find = (words: Uint32Array, from: number, to: number, word: number) => {
    const found = words.subarray(from, to).indexOf(word)
    return found < 0 ? null : from + found
  }
  const bigramOf = (middle: number, word: number) =>
    find(bigrams.word, unigrams.next[word]!, unigrams.next[word + 1]!, middle)
  const value = (logarithm: number) => Math.exp(logarithm * LOG_BASE)
  if (context.length === 0) return value(unigrams.prob[last]!)
  const middle = context.at(-1)!
  const bigram = bigramOf(middle, last)
  if (context.length === 1) {
    if (bigram !== null) return value(tables.bigramProb[bigrams.prob[bigram]!]!)
    return value(unigrams.backOff[middle]!) * probability(model, [], last)
  }
  const trigram =
    bigram === null ? null : find(trigrams.word, bigrams.next[bigram]!, bigrams.next[bigram + 1]!, context[0]!)
  if (trigram !== null) return value(tables.trigramProb[trigrams.prob[trigram]!]!)
  const known = bigramOf(context[0]!, middle)
  const weight = known === null ? 1 : value(tables.bigramBackOff[bigrams.backOff[known]!]!)
  return weight * probability(model, [middle], last)
}

const total = (model: TrieModel, context: readonly number[]) =>
  model.words.reduce((sum, _, word) => sum + probability(model, context, word), 0)

describe('a trigram model in the binary form of sphinxbase', () => {
  it('is read as it was written, and refused when it is cut off or something else', () => {
    const model = smallModel()
    const bytes = writeTrieModel(model)
    expect(readTrieModel(bytes)).toEqual(model)
    expect(() => readTrieModel(bytes.subarray(0, bytes.length - 1))).toThrow('the model ends at byte')
    expect(() => readTrieModel(Buffer.from('\\data\\ ngram 1=2'))).toThrow('expected a binary trigram model')
  })
})

describe('an adapted model', () => {
  it('gives what it read more weight, new words a place, and counts by Witten and Bell', () => {
    const adapted = adaptModel(smallModel(), [['the', 'weir']])
    const weir = adapted.words.indexOf('weir')
    expect(weir).toBe(WORDS.length)
    // Three words read, three kinds; the old model had a sixth for each of its words and nothing for the new one.
    expect(probability(adapted, [], weir)).toBeCloseTo(1 / 6, 4)
    expect(probability(adapted, [], THE)).toBeCloseTo((1 + 3 / 6) / 6, 4)
    // After "the" one word was read: half of the weight stays with what was known.
    expect(probability(adapted, [THE], OLD)).toBeCloseTo(0.6 / 2, 3)
    // A context that was not read keeps its n-grams.
    expect(probability(adapted, [OLD], MILL)).toBeCloseTo(probability(adapted, [], MILL), 6)
    expect(readTrieModel(writeTrieModel(adapted)).words).toEqual([...WORDS, 'weir'])
  })

  it('adds up to 1 after every context', () => {
    const word = fc.constantFrom('the', 'old', 'mill', 'river', 'weir', 'sluice')
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), (sentences) => {
        const model = adaptModel(smallModel(), sentences)
        for (const context of [[], [BEGIN], [THE], [OLD], [BEGIN, THE], [THE, OLD], [MILL, END]])
          expect(total(model, context)).toBeCloseTo(1, 2)
      }),
      { numRuns: 40 },
    )
  })
})

describe('the words of a text', () => {
  it.each([
    ['0', 'zero'],
    ['17', 'seventeen'],
    ['342', 'three hundred forty two'],
    ['1,250', 'one thousand two hundred fifty'],
    ['1853', 'eighteen fifty three'],
    ['1905', 'nineteen oh five'],
    ['1900', 'nineteen hundred'],
    ['2000', 'two thousand'],
    ['1850s', 'eighteen fifties'],
    ['21st', 'twenty first'],
    ['20th', 'twentieth'],
    ['3.05', 'three point zero five'],
    ['007', 'zero zero seven'],
    ['1,25', null],
    ['x', null],
  ])('say the number %s', (figures, words) => {
    expect(numberWords(figures)?.join(' ') ?? null).toBe(words)
  })

  it('are those that are said, sentence by sentence', () => {
    expect(
      spokenSentences(
        '# The pump\n\nOur *Tarnflow* 200M shows E-4417.  Read [this](https://a.example/b)!\n- O’Brien: 5 %',
      ).map((words) => words.join(' ')),
    ).toEqual([
      'the pump',
      'our tarnflow two hundred m. shows e. four thousand four hundred seventeen',
      'read this',
      "o'brien",
      'five percent',
    ])
  })
})

describe('pronunciations', () => {
  const KNOWN = readDictionary(
    [
      'chat CH AE T',
      'that DH AE T',
      'chip CH IH P',
      'ship SH IH P',
      'thin TH IH N',
      'pan P AE N',
      'tin T IH N',
      'nap N AE P',
      'tin(2) T IY N',
    ].join('\n'),
  )

  it('of unknown words are read from the spelling of known ones, of possessives from the stem', () => {
    const added = addedEntries(KNOWN, new Set(['chan', 'pan', "ship's", "thin's", '…']))
    expect(Object.fromEntries(added)).toEqual({
      chan: ['CH', 'AE', 'N'],
      "ship's": ['SH', 'IH', 'P', 'S'],
      "thin's": ['TH', 'IH', 'N', 'Z'],
    })
  })

  it('leave out letters that they never saw', () => {
    expect(learnLetterSounds([...KNOWN]).phonesOf('pazz')).toEqual(['P', 'AE'])
  })
})
