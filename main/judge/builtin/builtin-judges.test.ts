import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerOrder, letterAt, shownAnswer } from '../blinding.ts'
import type { JudgeTask } from '../../../core/judging/judge-task.ts'
import { BUILTIN_JUDGES, createBuiltinJudge } from './builtin-judges.ts'
import { cosine, vectorOf } from './semantic-match.ts'
import { stemOf, termsOf } from './words.ts'

const question = 'In what year did boats first pass through the lock at Tidewater Quay?'
const reference = 'The lock was opened in May 1904.'
const evidence = [
  'The lock at Tidewater Quay was opened in May 1904 so that grain barges could leave the canal at any state of the tide.',
]

const taskOf = (texts: readonly (string | null)[], changes: Partial<JudgeTask> = {}): JudgeTask => ({
  question,
  reference,
  answerable: true,
  evidence,
  answers: texts.map((text, place) => ({ letter: letterAt(place), ...shownAnswer(text) })),
  token: 't',
  ...changes,
})

describe.each(BUILTIN_JUDGES)('%s', (name) => {
  const judge = createBuiltinJudge(name)
  const verdictOn = async (task: JudgeTask) => {
    const reply = await judge.judge(task)
    if (!reply.ok) throw new Error(reply.message)
    return reply.verdict
  }
  const grades = async (texts: (string | null)[], changes: Partial<JudgeTask> = {}) => [
    ...(await verdictOn(taskOf(texts, changes))).scores.values(),
  ]

  it('is a family of its own and states what it is', () => {
    expect(judge).toMatchObject({ name, kind: 'builtin', family: name.split('-').slice(0, 2).join('-') })
  })

  it('grades right above partly right above wrong above empty', async () => {
    const texts = [
      'The lock was opened in May 1904.',
      'It was open. The crane stands idle when the wind is strong. Volunteers paint the gates in May.',
      'Part TQ-118 replaces part TQ-181.',
      null,
    ]
    const [right, partly, wrong, none] = (await grades(texts)) as [number, number, number, number]
    expect(right).toBe(5)
    expect(partly).toBeLessThan(right)
    expect(partly).toBeGreaterThan(wrong)
    expect([wrong, none]).toEqual([1, 1])
    expect((await verdictOn(taskOf(texts))).best).toBe('A')
  })

  it('needs no reference', async () => {
    const [right, wrong] = await grades(['The lock at Tidewater Quay was opened in May 1904.', 'Part TQ-118.'], {
      reference: null,
    })
    expect(right).toBeGreaterThanOrEqual(3)
    expect(wrong).toBe(1)
  })

  it('grades a refusal as right exactly where the question is unanswerable', async () => {
    const texts = ['The documents do not say when.', 'It was 1904.']
    const unknown = 'The documents do not tell the year.'
    expect(await grades(texts, { answerable: false, reference: unknown })).toEqual([5, 1])
    expect((await grades(texts))[0]).toBe(1)
  })

  it('gives a reason for every answer, and a best vote to none of two equal ones', async () => {
    const { reasons, best } = await verdictOn(taskOf(['It opened in May 1904.', 'It opened in May 1904.', 'No.']))
    expect([...reasons.keys()]).toEqual(['A', 'B', 'C'])
    expect(best).toBeNull()
  })

  it('grades a text by itself: neither its place nor its neighbours count', async () => {
    const text = fc.oneof(
      fc.constantFrom('It was opened in May 1904.', 'boats pass', 'The lock', 'Nobody knows.', 'year 1904'),
      fc.string({ unit: 'binary', maxLength: 200 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), fc.nat(20), async (texts, rotation) => {
        const alone = await Promise.all(texts.map(async (one) => (await grades([one]))[0]))
        const names = texts.map((_, index) => String(index))
        const order = answerOrder(names, { queryId: 'q', judge: 'j', rotation })
        const together = await grades(order.map((index) => texts[Number(index)]!))
        expect(together).toEqual(order.map((index) => alone[Number(index)]))
      }),
    )
  })
})

describe('words', () => {
  it('are cut alike in their forms', () => {
    for (const forms of [
      ['open', 'opens', 'opened', 'opening'],
      ['replace', 'replaces', 'replaced', 'replacing'],
      ['gate', 'gates'],
      ['company', 'companies'],
      ['stop', 'stopped', 'stopping'],
    ])
      expect(new Set(forms.map(stemOf)).size, forms.join()).toBe(1)
  })

  it('weigh more as names and numbers, and nothing as function words', () => {
    expect(termsOf('The lock at Tidewater was opened in 1904.')).toEqual([
      { stem: stemOf('lock'), weight: 1 },
      { stem: stemOf('tidewater'), weight: 2 },
      { stem: stemOf('opened'), weight: 1 },
      { stem: '1904', weight: 3 },
    ])
  })
})

describe('cosine', () => {
  it('is 1 for equal texts, 0 for strangers, symmetric, and never beyond', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [vectorOf(a), vectorOf(b)]
        const likeness = cosine(one, other)
        expect(likeness).toBeGreaterThanOrEqual(0)
        expect(likeness).toBeLessThanOrEqual(1 + 1e-9)
        expect(likeness).toBeCloseTo(cosine(other, one), 12)
        expect(cosine(one, one)).toBeCloseTo(one.norm === 0 ? 0 : 1, 9)
      }),
    )
    expect(cosine(vectorOf('lock'), vectorOf('budget'))).toBe(0)
  })

  it('brings related forms near, and keeps numbers apart', () => {
    const near = (a: string, b: string): number => cosine(vectorOf(a), vectorOf(b))
    expect(near('harbourmaster', 'harbour master')).toBeGreaterThan(0.4)
    expect(near('in 1904', 'in 1905')).toBe(0)
  })
})
