import { expect, it, onTestFinished } from 'vitest'
import { OwnApproach } from '../../../../contract/manifests/own-approaches.ts'
import type { SentTrace } from '../../../../contract/evidence/trace.ts'
import { json } from '../../../../tests/helpers/fault-server.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { recorded } from '../../trace/trace.ts'
import { createOwnEngine } from './own-engine.ts'
import { testFaultServer } from '../../../../tests/helpers/test-server.ts'

it('keeps the reasoning of an own approach in the trace of its answer', async () => {
  const server = await testFaultServer()
  server.script(json({ choices: [{ message: { role: 'assistant', content: '<think>Sky?</think>Blue.' } }] }))
  const approach = OwnApproach.parse({ version: 1, kind: 'chat', preset: 'openai', url: server.url })
  const file = { name: 'mine', file: 'approaches/mine.yaml', approach, digest: 'd', program: null }
  const engine = createOwnEngine({ files: [file], trusted: ['d'], root: '/' }, await temporaryFolder('own-engine'), {})
  onTestFinished(() => engine.close())
  let sent: SentTrace | undefined
  const { answer } = await recorded(
    'full',
    () => engine.ask('mine', { question: 'Why?', budget: null, corpus: null }),
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
