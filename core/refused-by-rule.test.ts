import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refusedByRule } from './refused-by-rule.ts'

interface Labelled {
  kind: string
  refuses: boolean
  text: string
}

/** `kind ⇥ text` per line: kinds that begin with `refusal` refuse. `published`: answers of real runs, as their rows held them. */
const read = (name: string): Labelled[] =>
  readFileSync(new URL(`../tests/fixtures/refusals/${name}.tsv`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [kind, text] = line.split('\t') as [string, string]
      return { kind, refuses: kind.startsWith('refusal'), text: text.replaceAll('\\n', '\n') }
    })

const all = [...read('written'), ...read('published')]
/** The half that no rule was made from: decided by the text alone, so that a new line lands in one half or the other for good. */
const isHeldBack = ({ text }: Labelled): boolean => hash('sha256', `refusals:${text}`, 'buffer')[0]! % 2 === 1

function measured(labelled: readonly Labelled[]) {
  const flagged = labelled.filter(({ text }) => refusedByRule(text) === true)
  const right = flagged.filter(({ refuses }) => refuses).length
  const refusing = labelled.filter(({ refuses }) => refuses).length
  return { answers: labelled.length, refusing, precision: right / flagged.length, recall: right / refusing }
}

describe('refusedByRule', () => {
  it('has a precision and a recall of at least .97 on the held-back half of at least 300 labelled answers', () => {
    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(new Set(all.map(({ text }) => text)).size).toBe(all.length)
    const heldBack = measured(all.filter(isHeldBack))
    const tuned = measured(all.filter((each) => !isHeldBack(each)))
    console.info('refusals, held-back half:', heldBack, 'half that the rule was made from:', tuned)
    for (const half of [heldBack, tuned]) {
      expect(half.refusing).toBeGreaterThan(70)
      expect(half.precision).toBeGreaterThanOrEqual(0.97)
      expect(half.recall).toBeGreaterThanOrEqual(0.97)
    }
  })

  it.each([
    ['The bridge was not rebuilt after engineers found rot in 1904.', false],
    ['The record is not given here. It was built by Ada Brill in 1871.', false],
    ['Nowhere in the documents is this said.', true],
    ['The bridge opened in 1904. The passages do not say who designed it.', false],
    ['The passages do not mention eggs. They are about bread.', true],
  ])('the rule classifies the answer %j as a refusal: %j', (answer, refused) => {
    expect(refusedByRule(answer)).toBe(refused)
  })

  it.each([
    'Die Unterlagen enthalten keine Angaben zu den Kosten der Brücke oder ihres Baus.',
    'В документах об этом ничего не сказано.',
    '文書にはその記載がありません。',
  ])('does not decide about an answer in another language: %s', (answer) => {
    expect(refusedByRule(answer)).toBeNull()
  })

  it('reads a long answer without pause in under half a second', () => {
    const texts = ['the documents ', 'no passage ', 'I ', '"', 'although a, ', 'which is not ', 'nothing '].map(
      (part) => part.repeat(100_000),
    )
    const started = performance.now()
    for (const text of texts) refusedByRule(text)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
