import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isAlive } from '../../../tests/helpers/processes.ts'
import { describeEnd, startWork, type WorkEnd, type WorkOptions, type WorkProcess } from './work-process.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

// In plain Node; in Electron's utility processes: tests/e2e/desktop-children.spec.ts.

const PROGRAM = `
  import { spawn } from 'node:child_process'
  process.on('message', (message) => {
    if (message.task === 'exit') process.exit(71)
    if (message.task === 'program') {
      const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
      process.send({ program: program.pid })
      return
    }
    console.log('printed')
    process.send({ sum: message.bytes.reduce((total, byte) => total + byte, 0), token: process.env.SOME_TOKEN ?? null })
  })
`

const folder = suiteFolder('work')
const open: WorkProcess[] = []
beforeAll(() => writeFile(join(folder, 'child.mjs'), PROGRAM))
afterAll(() => {
  for (const work of open) work.kill()
})

function start(more: Partial<WorkOptions> = {}): WorkProcess {
  const work = startWork({ entry: pathToFileURL(join(folder, 'child.mjs')), ...more })
  open.push(work)
  return work
}

const answerOf = (work: WorkProcess, message: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    work.onMessage(resolve)
    work.onEnd((end) => reject(new Error(describeEnd(end))))
    work.send(message)
  })
const endOf = (work: WorkProcess): Promise<WorkEnd> => new Promise((resolve) => void work.onEnd(resolve))

it('hands typed arrays over, keeps credentials back and receives what is printed', async () => {
  const printed = Promise.withResolvers<string>()
  process.env['SOME_TOKEN'] = 'secret'
  try {
    const work = start({ onPrint: printed.resolve })
    expect(await answerOf(work, { bytes: new Uint8Array(100_000).fill(3) })).toEqual({ sum: 300_000, token: null })
    expect(await printed.promise).toBe('printed\n')
    expect(work.isAlive).toBe(true)
  } finally {
    Reflect.deleteProperty(process.env, 'SOME_TOKEN')
  }
})

it('reports an exit by its code or signal, also to a caller that asks afterwards', async () => {
  const work = start()
  work.send({ task: 'exit' })
  expect(await endOf(work)).toEqual({ code: 71, signal: null })
  expect([work.isAlive, await endOf(work)]).toEqual([false, { code: 71, signal: null }])
  // The process has exited: no error, because the exit has been reported.
  work.send({ task: 'exit' })
  const killed = start()
  killed.kill()
  expect(describeEnd(await endOf(killed))).toBe('SIGKILL')
})

it('ends the programs that it started with it', async () => {
  const work = start({ startsPrograms: true })
  const { program } = (await answerOf(work, { task: 'program' })) as { program: number }
  work.kill()
  await endOf(work)
  await expect.poll(() => isAlive(program)).toBe(false)
})
