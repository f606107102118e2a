import { afterEach, expect, it } from 'vitest'
import { TRACE_HEADER, TRACE_LIMITS, type SentTrace } from '../../../contract/evidence/trace.ts'
import { forgetSecrets, rememberSecrets } from '../../../core/known-secrets.ts'
import { recorded, step, traceHeaders } from './trace.ts'

afterEach(forgetSecrets)

const call = (request: unknown, response: unknown = 'answered') =>
  step(
    { kind: 'model', name: 'answer: m', request: () => request },
    async () => response,
    (found) => ({ response: found }),
  )

async function traceOf(run: () => Promise<unknown>, level: 'full' | 'tree' = 'full'): Promise<SentTrace> {
  let sent: SentTrace | null = null
  const keep = (trace: SentTrace): void => void (sent = trace)
  await recorded(
    level,
    run,
    (result, trace) => (keep(trace), result),
    (_error, trace) => keep(trace),
  ).catch(() => null)
  return sent!
}

it('keeps what was sent without known secrets, cut at its limit, and each text once', async () => {
  rememberSecrets('key-of-the-service')
  const long = 'x'.repeat(TRACE_LIMITS.textChars + 10)
  const { steps, texts = {} } = await traceOf(async () => {
    await call({ authorization: 'key-of-the-service' }, long)
    await call('again', long)
  })
  expect(texts[steps[0]!.request!.sha256]).toBe('{"authorization":"[secret removed]"}')
  expect(steps[0]!.response).toMatchObject({ chars: long.length, kept: 'cut' })
  expect(Object.keys(texts)).toHaveLength(3)
})

it('marks texts above the limit of a cell, and counts steps above theirs', async () => {
  const { steps, texts = {} } = await traceOf(async () => {
    for (let at = 0; at < 20; at += 1) await call(`${at}`.padEnd(TRACE_LIMITS.textChars, 'x'), null)
  })
  expect(steps.filter(({ request }) => request!.kept === 'left_out')).toHaveLength(4)
  expect(Object.keys(texts)).toHaveLength(16)
  const many = await traceOf(async () => {
    for (let at = 0; at < TRACE_LIMITS.steps + 5; at += 1) await call('a', null)
  }, 'tree')
  expect([many.steps.length, many.left_out, many.texts]).toEqual([TRACE_LIMITS.steps, 5, undefined])
})

it('puts steps that run at the same time below the step that made each', async () => {
  const outer = (name: string) =>
    step(
      { kind: 'tool', name, request: () => null },
      () => call(name),
      () => ({}),
    )
  const { steps } = await traceOf(() => Promise.all([outer('a'), outer('b')]))
  for (const { kind, parent, name } of steps.filter(({ kind }) => kind === 'model'))
    expect([kind, steps[parent!]!.kind, name]).toEqual(['model', 'tool', 'answer: m'])
  expect(new Set(steps.flatMap(({ parent }) => parent ?? [])).size).toBe(2)
})

it('goes on in a request of this process by its header, and an unknown one starts its own', async () => {
  const { steps } = await traceOf(() =>
    step(
      { kind: 'workflow', name: 'webhook', request: () => null },
      () =>
        recorded(
          traceHeaders()[TRACE_HEADER],
          () => call('inside'),
          () => expect.unreachable(),
          () => undefined,
        ),
      () => ({}),
    ),
  )
  expect(steps.map(({ kind, parent }) => [kind, parent])).toEqual([
    ['workflow', undefined],
    ['model', 0],
  ])
  const other = await recorded(
    'full;of-another-process;3',
    () => call('x'),
    (_result, trace) => trace.steps,
    () => undefined,
  )
  expect(other).toHaveLength(1)
  expect(traceHeaders()).toEqual({})
})

it('has the step that failed, with its error', async () => {
  const trace = await traceOf(() =>
    step(
      { kind: 'model', name: 'answer: m', request: () => 'asked' },
      () => Promise.reject(new Error('no answer')),
      () => ({}),
    ),
  )
  expect(trace.steps).toMatchObject([{ error: 'no answer', request: { chars: 5 } }])
})
