import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { createHostLauncher, serveLaunches, type LaunchChannel } from './host-launcher.ts'
import { createNodeLauncher } from './node-launcher.ts'

let folder: string
beforeEach(async () => (folder = await temporaryFolder('launch')))

/** Both ends of a channel that copies what it carries, as one between processes does. */
function channelPair(): { child: LaunchChannel; host: LaunchChannel; close: () => void } {
  const wire = new EventEmitter()
  const end = (from: string, to: string): LaunchChannel => ({
    send: (message) => void setImmediate(() => wire.emit(to, structuredClone(message))),
    onMessage: (listener) => void wire.on(from, listener),
    onClose: (listener) => void wire.once('close', listener),
  })
  return { child: end('host', 'child'), host: end('child', 'host'), close: () => wire.emit('close') }
}

async function program(text: string): Promise<string> {
  const file = join(folder, 'child.mjs')
  await writeFile(file, text)
  return file
}

const TALKS = `
  process.on('disconnect', () => { console.log('asked to end'); process.exit(7) })
  console.log('hello ' + process.env.NAME)
  process.send({ type: 'ready', pid: process.pid })
`

it('starts through the host, receives lines, messages and the end, and can ask for it', async () => {
  const { child, host } = channelPair()
  serveLaunches(createNodeLauncher(), host)
  const launched = createHostLauncher(child).launch({ entry: await program(TALKS), env: { NAME: 'you' } })
  const lines: string[] = []
  launched.onLine((line) => lines.push(line))
  const exited = new Promise<unknown>((resolve) => launched.onExit((code, signal) => resolve({ code, signal })))
  const { pid } = await new Promise<{ pid: number }>((resolve) =>
    launched.onMessage((message) => resolve(message as { pid: number })),
  )
  expect(launched.pid).toBe(pid)
  launched.requestStop()
  expect(await exited).toEqual({ code: 7, signal: null })
  await expect.poll(() => lines).toEqual(['hello you', 'asked to end'])
  launched.signalGroup('SIGKILL')
})

it('withoutCredentials keeps the credentials of the launcher from the child, and passes on those it was given', async () => {
  const names = ['OPENAI_API_KEY', 'STT_API_TOKEN', 'STT_CONCURRENCY']
  const entry = await program(
    `process.send(${JSON.stringify(names)}.map((name) => process.env[name] ?? null)); process.on('disconnect', () => process.exit(0))`,
  )
  const { child, host } = channelPair()
  serveLaunches(createNodeLauncher(), host)
  const launcher = createHostLauncher(child)
  Object.assign(process.env, { OPENAI_API_KEY: 'not for services', STT_CONCURRENCY: '2' })
  try {
    const seenBy = (withoutCredentials: boolean): Promise<unknown> =>
      new Promise((resolve) => {
        const env = { STT_API_TOKEN: 'own' }
        const launched = launcher.launch({ entry, env, withoutCredentials })
        launched.onMessage((message) => {
          resolve(message)
          launched.requestStop()
        })
      })
    expect(await seenBy(true)).toEqual([null, 'own', '2'])
    expect(await seenBy(false)).toEqual(['not for services', 'own', '2'])
  } finally {
    for (const name of ['OPENAI_API_KEY', 'STT_CONCURRENCY']) Reflect.deleteProperty(process.env, name)
  }
})

it('ends the children of a child that is gone', async () => {
  const { child, host, close } = channelPair()
  serveLaunches(createNodeLauncher(), host)
  const launched = createHostLauncher(child).launch({ entry: await program(TALKS), env: { NAME: 'you' } })
  const { pid } = await new Promise<{ pid: number }>((resolve) =>
    launched.onMessage((message) => resolve(message as { pid: number })),
  )
  close()
  const isAlive = (): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 5000 }).toBe(false)
})

it('reports a child that could not be started like one that ended', async () => {
  const { child, host } = channelPair()
  serveLaunches(
    {
      launch() {
        throw new Error('no more processes')
      },
    },
    host,
  )
  const launched = createHostLauncher(child).launch({ entry: 'x.mjs', env: {} })
  const events = new EventEmitter()
  launched.onLine((line) => events.emit('line', line))
  launched.onExit((code) => events.emit('exit', code))
  const [line] = await once(events, 'line')
  const [code] = await once(events, 'exit')
  expect([line, code]).toEqual(['no more processes', null])
})
