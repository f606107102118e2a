import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tests/helpers/temporary-folder.ts'

const module_ = pathToFileURL(join(import.meta.dirname, 'process-life.ts')).href

async function service(close: string, options: { graceMs?: number; crash?: boolean } = {}): Promise<ChildProcess> {
  const file = join(await temporaryFolder('process-life'), 'service.mjs')
  await writeFile(
    file,
    `import { announceReady, exitOnUnhandledErrors, exitWithHost } from ${JSON.stringify(module_)}
     const report = (error) => process.stderr.write(String(error))
     exitOnUnhandledErrors(process, report)
     exitWithHost(process, ${close}, report, ${options.graceMs ?? 5000})
     setInterval(() => {}, 1000)
     announceReady(process, { port: 1234, url: 'http://127.0.0.1:1234' })
     ${options.crash === true ? "process.on('message', () => Promise.reject(new Error('unforeseen')))" : ''}`,
  )
  const child = fork(file, { silent: true })
  expect((await once(child, 'message'))[0]).toEqual({ type: 'ready', port: 1234, url: 'http://127.0.0.1:1234' })
  return child
}

const exitCode = async (child: ChildProcess): Promise<unknown> => (await once(child, 'exit'))[0]

it('closes and exits when its channel closes', async () => {
  const child = await service("async () => { process.stdout.write('closed') }")
  let output = ''
  child.stdout!.on('data', (data) => (output += String(data)))
  child.disconnect()
  expect(await exitCode(child)).toBe(0)
  expect(output).toBe('closed')
})

it('closes and exits on SIGTERM; Ctrl-C is left to its host', async () => {
  const child = await service('async () => {}')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(0)
})

it('exits with 1 when closing fails or hangs, and when nothing catches an error', async () => {
  const failing = await service("async () => { throw new Error('stuck') }")
  failing.disconnect()
  expect(await exitCode(failing)).toBe(1)
  const hanging = await service('() => new Promise(() => {})', { graceMs: 20 })
  hanging.disconnect()
  expect(await exitCode(hanging)).toBe(1)
  const crashing = await service('async () => {}', { crash: true })
  crashing.send('go')
  expect(await exitCode(crashing)).toBe(1)
})

it('talks to a desktop host over its port, and ends on request', async () => {
  const file = join(await temporaryFolder('process-life'), 'service.mjs')
  await writeFile(
    file,
    `import { EventEmitter } from 'node:events'
     const port = (process.parentPort = new EventEmitter())
     port.postMessage = (message) => {
       process.stdout.write(JSON.stringify(message))
       port.emit('message', { data: { type: 'else' } })
       setImmediate(() => port.emit('message', { data: { type: 'stop' } }))
     }
     const { announceReady, exitWithHost } = await import(${JSON.stringify(module_)})
     exitWithHost(process, async () => { process.stdout.write(' closed') }, () => undefined, 5000)
     setInterval(() => {}, 1000)
     announceReady(process, { port: 1, url: 'http://127.0.0.1:1' })`,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (data) => (output += String(data)))
  expect(await exitCode(child)).toBe(0)
  expect(output).toBe('{"type":"ready","port":1,"url":"http://127.0.0.1:1"} closed')
})
