import { expect, test } from 'vitest'
import { NOT_RECORDING, OneRecording, type RecorderView } from './one-recording.ts'
import type { Session } from './record-microphone.ts'

const OPTIONS = { maxSeconds: 30, countdownSeconds: 1 }

/** A scripted microphone, and what was shown and passed on. */
function bench() {
  const sessions: (Session & PromiseWithResolvers<Blob | null>)[] = []
  const views: RecorderView[] = []
  const handed: [string, Blob][] = []
  const recording = new OneRecording(
    (session) => {
      const opened = { ...session, ...Promise.withResolvers<Blob | null>() }
      sessions.push(opened)
      return opened.promise
    },
    (view) => views.push(view),
  )
  const start = (name: string): void => recording.start(OPTIONS, (blob) => handed.push([name, blob]))
  return { recording, start, sessions, handed, states: () => views.map(({ state }) => state), last: () => views.at(-1) }
}

test('a second press before the microphone is there starts nothing', async () => {
  const { start, sessions, handed, states, last } = bench()
  start('first')
  expect(states()).toEqual(['opening'])
  start('second')
  expect(sessions).toHaveLength(1)
  sessions[0]!.onCountdown(1)
  start('third')
  sessions[0]!.onProgress(0.5, 0.1)
  start('fourth')
  const blob = new Blob(['a'])
  sessions[0]!.resolve(blob)
  await sessions[0]!.promise
  expect(handed).toEqual([['first', blob]])
  expect(states()).toEqual(['opening', 'counting', 'recording', 'idle'])
  expect(last()).toEqual(NOT_RECORDING)
  start('next')
  expect(sessions).toHaveLength(2)
})

test('one that was cancelled before the microphone was ready reports nothing any more', async () => {
  const { recording, start, sessions, handed, states } = bench()
  start('first')
  recording.stop()
  expect(states()).toEqual(['opening', 'idle'])
  expect(sessions[0]!.signal.aborted).toBe(true)
  start('second')
  sessions[0]!.onCountdown(1)
  sessions[0]!.resolve(new Blob(['a']))
  await sessions[0]!.promise
  expect(states()).toEqual(['opening', 'idle', 'opening'])
  expect(handed).toEqual([])
  start('third')
  expect(sessions).toHaveLength(2)
})

test('a stop passes on what was recorded, leaving the page does not, and a fault is reported', async () => {
  const { recording, start, sessions, handed, states, last } = bench()
  start('first')
  sessions[0]!.onProgress(2, 0.3)
  recording.stop()
  expect([sessions[0]!.signal.aborted, states().at(-1)]).toEqual([true, 'recording'])
  sessions[0]!.resolve(new Blob(['a']))
  await sessions[0]!.promise
  expect(handed.map(([name]) => name)).toEqual(['first'])

  start('second')
  sessions[1]!.onProgress(2, 0.3)
  recording.drop()
  sessions[1]!.resolve(new Blob(['b']))
  await sessions[1]!.promise
  expect(handed).toHaveLength(1)

  start('third')
  sessions[2]!.reject(Object.assign(new Error('no'), { name: 'NotFoundError' }))
  await sessions[2]!.promise.catch(() => undefined)
  expect(last()).toEqual({ ...NOT_RECORDING, failure: 'No microphone was found; connect one, or drop a file.' })
})
