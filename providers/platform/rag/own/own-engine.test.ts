import { expect, it, onTestFinished } from 'vitest'
import { OwnApproach } from '../../../../contract/manifests/own-approaches.ts'
import type { SentTrace } from '../../../../contract/evidence/trace.ts'
import { json, type Behaviour } from '../../../../tests/helpers/fault-server.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { recorded } from '../../trace/trace.ts'
import { createOwnEngine } from './own-engine.ts'
import { testFaultServer } from '../../../../tests/helpers/test-server.ts'

const QUESTION = { question: 'Why?', budget: null, corpus: null }

async function engineOf(behaviour: Behaviour) {
  const server = await testFaultServer()
  server.script(behaviour)
  const approach = OwnApproach.parse({ version: 1, kind: 'chat', preset: 'openai', url: server.url })
  const file = { name: 'mine', file: 'approaches/mine.yaml', approach, digest: 'd', program: null }
  const engine = createOwnEngine({ files: [file], trusted: ['d'], root: '/' }, await temporaryFolder('own-engine'), {})
  onTestFinished(() => engine.close())
  return engine
}

it.each([
  [401, 'no', { code: 'model_access_refused', status: 502 }],
  [402, 'no', { code: 'model_access_refused', status: 502 }],
  [403, 'no', { code: 'model_access_refused', status: 502 }],
  [429, 'no', { code: 'rate_limited', status: 429, headers: { 'retry-after': '7' } }],
  [429, 'You exceeded your current quota', { code: 'model_access_refused', status: 502 }],
  [500, 'no', { code: 'own_approach_failed', status: 502 }],
])('keeps what HTTP %i (%s) of an own approach means', async (status, message, expected) => {
  const engine = await engineOf(json({ error: { message } }, status, { 'retry-after': '7' }))
  await expect(engine.ask('mine', QUESTION)).rejects.toMatchObject(expected)
})

it('keeps the reasoning of an own approach in the trace of its answer', async () => {
  const engine = await engineOf(
    json({ choices: [{ message: { role: 'assistant', content: '<think>Sky?</think>Blue.' } }] }),
  )
  let sent: SentTrace | undefined
  const { answer } = await recorded(
    'full',
    () => engine.ask('mine', QUESTION),
    (reply, trace) => {
      sent = trace
      return reply
    },
    () => undefined,
  )
  expect(answer).toBe('Blue.')
  const [step] = sent!.steps
  expect(step).toMatchObject({ kind: 'tool', name: 'own approach: mine' })
  expect(JSON.parse(sent!.texts![step!.response!.sha256]!)).toMatchObject({ answer: 'Blue.', reasoning: 'Sky?' })
})
