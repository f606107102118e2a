import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { identityOf, sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { identityConflict } from './conditions.ts'
import { copyOf, fingerprint, firstDifference, sameJson } from './row-identity.ts'

describe('identityConflict', () => {
  const stored = { ...identityOf(sampleRow()), status: 'ok' as const }

  it('finds none in an equal identity, whatever its key order', () => {
    const turned = Object.fromEntries(Object.entries(stored.question).reverse()) as typeof stored.question
    expect(identityConflict(stored, { ...stored, question: turned })).toBeNull()
    expect(fingerprint(turned)).toEqual(fingerprint(stored.question))
  })

  it('names the field and both values', () => {
    const current = { ...stored, reproducibility: sampleReproducibility('other') }
    expect(identityConflict(stored, current)).toEqual({
      row_id: stored.row_id,
      path: 'reproducibility.seed',
      stored: '"ladder-seed"',
      current: '"other"',
    })
  })

  it('names a list entry and an absent field', () => {
    const gold = [...stored.question.gold, { document: 'more.md', fact: 'x' }]
    const conflict = identityConflict(stored, { ...stored, question: { ...stored.question, gold } })
    expect(conflict).toMatchObject({ path: 'question.gold[1]', stored: '(absent)' })
  })

  it('shows where two long texts part', () => {
    const long = 'word '.repeat(100)
    const difference = firstDifference(`${long}left${long}`, `${long}right${long}`)
    expect(difference?.stored).toContain('left')
    expect(difference?.current).toContain('right')
    expect(difference?.stored.length).toBeLessThan(100)
  })
})

it('what is kept of a line holds no other memory than its own', () => {
  expect(copyOf(Buffer.from('abc')).buffer.byteLength).toBe(3)
  expect(fingerprint({ a: 1 }).buffer.byteLength).toBe(16)
})

describe('sameJson and firstDifference', () => {
  const twins = fc
    .jsonValue()
    .chain((value) => fc.tuple(fc.constant(value), fc.oneof(fc.constant(value), fc.jsonValue())))

  it('agree with canonical JSON', () => {
    fc.assert(
      fc.property(twins, ([a, b]) => {
        const equal = canonicalJson(a) === canonicalJson(b)
        expect(firstDifference(a, b) === null).toBe(equal)
        expect(sameJson(a, structuredClone(b))).toBe(equal)
        expect(fingerprint(a).equals(fingerprint(b))).toBe(equal)
      }),
    )
  })

  it('do not take an undefined member for another one', () => {
    expect(sameJson({ a: undefined }, { b: 1 })).toBe(false)
  })
})
