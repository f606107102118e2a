import { createHash } from 'node:crypto'
import type { JudgePanel } from '../../main/judge/panel-settings.ts'
import type { PanelInput, PanelQuestion } from '../../main/judge/panel-input.ts'
import type { Behaviour } from './fault-server.ts'

export const BUILTINS = ['builtin-lexical-support', 'builtin-semantic-match']

/** A valid panel of two chat judges of two families; `changes` are what a test is about. */
export const samplePanel = (changes: Partial<JudgePanel> = {}): JudgePanel => ({
  enabled: true,
  endpoint: 'platform-gateway',
  apiKey: null,
  models: ['qwen3:8b', 'llama3.3:70b'],
  temperature: 0,
  think: null,
  rotations: 1,
  reference: false,
  families: {},
  ...changes,
})

export const sampleQuestion = (
  id: string,
  answers: Record<string, string | null>,
  changes: Partial<PanelQuestion> = {},
): PanelQuestion => ({
  id,
  query: `How far does the lock rise in ${id}?`,
  groundTruth: 'The lock rises by four metres.',
  answerable: true,
  expectWinner: null,
  documents: [`${id}.md`],
  evidence: ['The lock rises by four metres when the chamber fills.'],
  answers: Object.entries(answers).map(([model, answer]) => ({ model, answer })),
  ...changes,
})

export const sampleInput = (questions: readonly PanelQuestion[]): PanelInput => ({
  runId: 'run-1',
  datasetId: 'locks',
  ingestion: { job_id: 'job-1', profile: 'locks', revision: 'r1', content_digest: 'd1', mode: 'platform' },
  questions,
})

/** Returns what a chat judge was shown, read back from the request as the judge would read it. */
export function shownPrompt(body: string): {
  model: string
  token: string
  answers: Map<string, string>
  text: string
} {
  const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] }
  const text = messages.map(({ content }) => content).join('\n\n')
  const answers = new Map(
    Array.from(
      text.matchAll(/<<<answer ([A-Z]+) ([0-9a-f]{12})>>>\n([\s\S]*?)\n<<<end answer \1 \2>>>/g),
      ([, letter, , answer]) => [letter!, answer!] as const,
    ),
  )
  return { model, token: /<<<question ([0-9a-f]{12})>>>/.exec(text)![1]!, answers, text }
}

export const completion = (content: string) => ({
  id: 'reply',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
})

/** A judge endpoint that grades each answer by `gradeOf`; the best vote goes to the first of the highest. */
export const gradingBy =
  (gradeOf: (answer: string, place: number, prompt: ReturnType<typeof shownPrompt>) => number): Behaviour =>
  (response, _request, body) => {
    const prompt = shownPrompt(body)
    const scores = Array.from(
      prompt.answers,
      ([letter, answer], place) => [letter, gradeOf(answer, place, prompt)] as const,
    )
    const highest = Math.max(...scores.map(([, grade]) => grade))
    const best = scores.find(([, grade]) => grade === highest)![0]
    const verdict = {
      check: prompt.token,
      scores: Object.fromEntries(scores),
      best,
      reasons: Object.fromEntries(scores.map(([letter]) => [letter, 'it fits'])),
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(completion(JSON.stringify(verdict))))
  }

/** A grade that depends on nothing but the text. */
export const gradeByText = (text: string): number => 1 + (createHash('sha1').update(text).digest()[0]! % 5)
