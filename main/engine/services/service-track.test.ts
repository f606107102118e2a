import { describe, expect, it } from 'vitest'
import { LineLog } from './service-track.ts'

const signal = (): AbortSignal => new AbortController().signal

async function texts(log: LineLog, after: number) {
  const lines = []
  for await (const { number, text, missed } of log.read(after, false, signal())) lines.push([number, text, missed])
  return lines
}

describe('LineLog', () => {
  it('gives what came after a number', async () => {
    const log = new LineLog()
    for (const line of ['a', 'b', 'c']) log.push(line)
    expect(await texts(log, 1)).toEqual([
      [2, 'b', 0],
      [3, 'c', 0],
    ])
    expect(await texts(log, 99)).toEqual([])
  })

  it('counts the lines that a flood pushed out', async () => {
    const log = new LineLog(2)
    for (let line = 1; line <= 5; line += 1) log.push(`${line}`)
    expect(await texts(log, 0)).toEqual([
      [4, '4', 3],
      [5, '5', 0],
    ])
  })

  it('follows until it is aborted', async () => {
    const log = new LineLog()
    const stop = new AbortController()
    const lines = log.read(0, true, stop.signal)
    const first = lines.next()
    log.push('x'.repeat(5000))
    expect((await first).value!.text).toHaveLength(2000)
    const second = lines.next()
    stop.abort()
    expect((await second).done).toBe(true)
  })
})
