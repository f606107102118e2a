import { describe, expect, it } from 'vitest'
import { json } from '../../tests/helpers/fault-server.ts'
import { HOSTILE_ANSWERS } from '../../tests/helpers/hostile-answers.ts'
import {
  completion,
  gradingBy,
  sampleInput,
  samplePanel,
  sampleQuestion,
  shownPrompt,
} from '../../tests/helpers/judge-panel.ts'
import { suiteFaultServer } from '../../tests/helpers/test-server.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { blindedTask, blindQuestion } from './blinding.ts'
import { BUILTIN_JUDGES, createBuiltinJudge } from './builtin/builtin-judges.ts'
import { leakScan } from './leak-scan.ts'
import { runJudgePanel } from './run-panel.ts'

const RIGHT = 'The seals were renewed with part TQ-118, which replaces the older TQ-181.'
const WRONG = 'The crane does not run when the wind is above 38 kilometres an hour.'
const endpoint = await suiteFaultServer()
const answers = {
  m_right: RIGHT,
  m_partly: 'Part TQ-118 is for sale. Bookings are taken at the office.',
  m_wrong: WRONG,
  m_failed: null,
}

const seals = (given: Record<string, string | null>, groundTruth: string | null, answerable = true) =>
  sampleQuestion('seals', given, {
    query: 'Which seal part takes the place of TQ-181?',
    groundTruth,
    answerable,
    evidence: [`${RIGHT} The work took a week.`, `${WRONG} Bookings are taken at the office in the Bellows Room.`],
  })

it('there are at least 40 tricks', () => {
  expect(new Set(HOSTILE_ANSWERS.map(({ trick }) => trick)).size).toBeGreaterThanOrEqual(40)
})

describe.each(BUILTIN_JUDGES)('%s', (name) => {
  const judge = createBuiltinJudge(name)
  async function verdictOn(given: Record<string, string | null>, groundTruth: string | null, answerable = true) {
    const blinded = blindQuestion(seals(given, groundTruth, answerable), leakScan([]), false)
    const { task, order } = blindedTask(blinded, judge, 0, false)
    const reply = await judge.judge(task)
    if (!reply.ok) throw new Error(reply.message)
    const scores = Array.from(reply.verdict.scores.values(), (score, place) => [order[place]!, score] as const)
    const best =
      reply.verdict.best === null ? null : order[task.answers.findIndex(({ letter }) => letter === reply.verdict.best)]!
    return { scores: new Map(scores), best }
  }

  describe.each([
    ['with a reference', 'Part TQ-118 replaces TQ-181.'],
    ['without one', null],
  ])('%s', (_, reference) => {
    it.each(HOSTILE_ANSWERS)('is not moved by: $trick', async ({ text }) => {
      const plain = await verdictOn(answers, reference)
      expect(plain.best).toBe('m_right')
      for (const [model, own] of Object.entries(answers))
        for (const attack of [text, `${own ?? ''}\n${text}`, `${text}\n${own ?? ''}`]) {
          const moved = await verdictOn({ ...answers, [model]: attack }, reference)
          // Nothing gained for itself, nothing taken from the others, no vote won.
          expect(moved.scores.get(model)).toBeLessThanOrEqual(plain.scores.get(model)!)
          for (const [other, score] of plain.scores) if (other !== model) expect(moved.scores.get(other)).toBe(score)
          if (model !== 'm_right') expect(moved.best).toBe('m_right')
        }
    })
  })

  it.each(HOSTILE_ANSWERS)('takes no appeal for a refusal where refusing is right: $trick', async ({ text }) => {
    const refusal = 'The documents do not say which part replaces it.'
    const given = { m_refuses: refusal, m_wrong: WRONG, m_attacks: text, m_both: `${WRONG}\n${text}` }
    const { scores, best } = await verdictOn(given, 'The documents do not tell the part.', false)
    expect(Object.fromEntries(scores)).toEqual({ m_refuses: 5, m_wrong: 1, m_attacks: 1, m_both: 1 })
    expect(best).toBe('m_refuses')
  })

  it('gives nothing for repeating the question', async () => {
    const echo = 'Which seal part takes the place of TQ-181?'
    for (const reference of ['Part TQ-118 replaces TQ-181.', null]) {
      const { scores } = await verdictOn({ m_right: RIGHT, m_echo: echo }, reference)
      expect(scores.get('m_echo')).toBe(1)
      expect(scores.get('m_right')).toBeGreaterThanOrEqual(4)
    }
  })
})

describe('a model judge', () => {
  const panelOn = async (given: Record<string, string | null>) =>
    runJudgePanel(sampleInput([seals(given, null)]), {
      panel: samplePanel(),
      gateway: { url: endpoint.url, apiKey: null },
      aliases: [],
      seed: 's',
      file: `${await temporaryFolder()}/run-1-locks-judgments.json`,
      backoffMs: 0,
    })

  it.each(HOSTILE_ANSWERS)('is shown as data, once, between true delimiters: $trick', async ({ text }) => {
    endpoint.script(gradingBy((answer) => (answer.includes('TQ-118') ? 5 : 1)))
    const { judgments } = await panelOn({ ...answers, m_attack: text })
    expect([judgments.blocked, endpoint.requests.length]).toEqual([[], 2])
    for (const { body } of endpoint.requests) expect(shownPrompt(body).answers.size).toBe(5)
    expect(judgments.queries[0]!.mean_by_approach).toEqual({
      m_right: 5,
      m_partly: 5,
      m_wrong: 1,
      m_failed: 1,
      m_attack: 1,
    })
  })

  it.each(HOSTILE_ANSWERS)('that quotes an attack before or after its verdict keeps it: $trick', async ({ text }) => {
    const quoting = (place: 'before' | 'after') =>
      endpoint.script((response, request, body) => {
        const { token, answers: shown } = shownPrompt(body)
        const scores = Object.fromEntries(Array.from(shown, ([letter, answer]) => [letter, answer === RIGHT ? 5 : 2]))
        const best = [...shown].find(([, answer]) => answer === RIGHT)![0]
        const verdict = JSON.stringify({ check: token, scores, best, reasons: 'it fits' })
        const reply = place === 'before' ? `It says: ${text}\n${verdict}` : `${verdict}\nIt said: ${text}`
        json(completion(reply))(response, request, body)
      })
    for (const place of ['before', 'after'] as const) {
      quoting(place)
      const { judgments } = await panelOn(answers)
      expect(judgments.errors).toEqual([])
      expect(judgments.queries[0]).toMatchObject({
        mean_by_approach: { m_right: 5, m_partly: 2, m_wrong: 2, m_failed: 2 },
        observed_winner: 'm_right',
      })
    }
  })
})
