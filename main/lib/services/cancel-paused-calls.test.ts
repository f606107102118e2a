import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { paceExchange } from '../../../core/http/pace-exchange.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { cancelPausedCalls } from './cancel-paused-calls.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('paused-calls')
})

const pause = (pauseMs: number): void => paceExchange(folder, 'http://127.0.0.1:8080').report({ pauseMs, places: 1 })

function stopping() {
  const [drain, abort] = [new AbortController(), new AbortController()]
  const notes: string[] = []
  const dispose = cancelPausedCalls(drain.signal, abort, folder, (message) => notes.push(message))
  onTestFinished(dispose)
  return { drain, abort: abort.signal, notes, dispose }
}

it('a run that is stopped while a service asks for a pause does not wait for it', () => {
  pause(30_000)
  const { drain, abort, notes } = stopping()
  expect(abort.aborted).toBe(false)
  drain.abort()
  expect(abort.aborted).toBe(true)
  expect(notes).toEqual([
    expect.stringMatching(
      /^a service limits its calls and is to be called again in (30\.0|29\.\d) s: answers that wait for it are cancelled, and made when the run is resumed$/,
    ),
  ])
})

it('a pause that comes after the stop, while answers in flight finish, is not waited for either', async () => {
  const { drain, abort } = stopping()
  drain.abort()
  expect(abort.aborted).toBe(false)
  pause(30_000)
  await expect.poll(() => abort.aborted).toBe(true)
})

it('short pauses are waited for, and a run that has ended cancels nothing', async () => {
  pause(500)
  const { drain, abort, dispose } = stopping()
  drain.abort()
  expect(abort.aborted).toBe(false)
  dispose()
  pause(30_000)
  await delay(700)
  expect(abort.aborted).toBe(false)
})
