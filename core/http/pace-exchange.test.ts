import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { Pace } from './pace.ts'
import { paceExchange } from './pace-exchange.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('pace-exchange')
})

const SERVICE = 'http://127.0.0.1:8080'

/** Two processes, as far as a pace is concerned: each with an exchange of its own, and one clock that moves by their pauses. */
function twoPaces(services: readonly [string, string] = [SERVICE, SERVICE]) {
  let nowMs = 1_000_000
  const clock = (): number => nowMs
  const paces = services.map(
    (service) =>
      new Pace({
        first: 8,
        now: clock,
        wait: async (pauseMs) => void (nowMs += pauseMs),
        exchange: paceExchange(folder, service, clock),
      }),
  )
  return { one: paces[0]!, other: paces[1]!, pass: (milliseconds: number) => void (nowMs += milliseconds) }
}

it('a refusal in one process lets another one wait, with no more calls at a time than the first has left', async () => {
  const { one, other } = twoPaces()
  const sent = await Promise.all(Array.from({ length: 4 }, () => one.take()))
  sent[0]!.end(429, 3000)
  expect(one.places).toBe(2)
  expect(await other.take(undefined, 2999)).toBeNull()
  expect(await other.take()).toMatchObject({ waitedMs: 3000 })
  expect(other.places).toBe(2)
})

it('a refusal of a call that was sent before the report of another process does not slow down again', async () => {
  const { one, other, pass } = twoPaces()
  const [ofOne, ofOther] = [(await one.take())!, (await other.take())!]
  pass(30)
  ofOne.end(429, 1000)
  expect(await other.take(undefined, 0)).toBeNull()
  const { places } = other
  ofOther.end(429, 1000)
  expect(other.places).toBe(places)
})

it('another service is not slowed down, and old or unreadable reports count for nothing', async () => {
  const { one, other } = twoPaces([SERVICE, 'http://127.0.0.1:9090'])
  ;(await one.take())!.end(429, 3000)
  expect(await other.take(undefined, 0)).not.toBeNull()
  const [name] = await readdir(folder)
  const later = (afterMs: number) => paceExchange(folder, SERVICE, () => 1_003_000 + afterMs)
  expect(later(0).news()).toEqual([{ pauseMs: 0, places: 1 }])
  expect(later(10_001).news()).toEqual([])
  expect(await readdir(folder)).toEqual([name])
  await writeFile(join(folder, name!), '{"until":')
  expect(later(0).news()).toEqual([])
  expect(paceExchange(join(folder, 'none'), SERVICE).news()).toEqual([])
})
