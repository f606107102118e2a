import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, expect, test as base, type ElectronApplication } from '@playwright/test'
import { build } from 'vite'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { isAlive } from '../helpers/processes.ts'
import type { UtilityHost } from '../helpers/utility-host.ts'

// The packaged app starts its children by `utilityProcess.fork`. Here the same launcher and the built bootstrap start small services that
// need no native module, so that it is shown in any Electron.

type HostGlobal = typeof globalThis & { host: UtilityHost; service: ReturnType<UtilityHost['service']> }

interface Children {
  app: ElectronApplication
  folder: string
  /** Starts a service in the host and waits until it is ready; its address. */
  start: (module: string, env?: Record<string, string>) => Promise<string>
  stop: () => Promise<void>
  state: () => Promise<string>
  url: () => Promise<string | null>
  lines: () => Promise<string[]>
  journal: () => Promise<string>
}

/** The host and its services as JavaScript: an Electron may be older than the types that Node strips. */
async function bundle(folder: string): Promise<void> {
  const input = Object.fromEntries(
    ['utility-host', 'child-service', 'launching-service', 'working-service', 'work-child'].map((name) => [
      name,
      join(PROJECT_ROOT, `tests/helpers/${name}.ts`),
    ]),
  )
  await build({
    configFile: false,
    logLevel: 'warn',
    // There are no packages beside it.
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { input, external: ['electron'], output: { entryFileNames: '[name].js' } },
    },
  })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', main: 'utility-host.js' }))
}

const test = base.extend<{ children: Children }, { folder: string }>({
  folder: [
    async ({ browserName: _ }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-children-'))
      await bundle(folder)
      await use(folder)
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  children: async ({ folder }, use, { testId }) => {
    const journal = join(folder, `journal-${testId}`)
    const app = await _electron.launch({
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `--user-data-dir=${folder}/data-${testId}`, folder],
      env: {
        ...(process.env as Record<string, string>),
        HOST_FOLDER: folder,
        HOST_BOOTSTRAP: join(PROJECT_ROOT, 'out/main/utility-child.js'),
      },
    })
    const child = app.process()
    const inHost = <Result>(work: (scope: HostGlobal) => Result): Promise<Awaited<Result>> =>
      app.evaluate((_electronModule, text) => {
        // oxlint-disable-next-line no-eval -- a function reaches the main process as text
        const run = (0, eval)(`(${text})`) as (scope: typeof globalThis) => unknown
        return run(globalThis)
      }, String(work)) as Promise<Awaited<Result>>
    await use({
      app,
      folder,
      start: (module, env = {}) =>
        app.evaluate(
          (_electronModule, given) => {
            const scope = globalThis as HostGlobal
            scope.service = scope.host.service(given.module, given.env)
            return scope.service.start()
          },
          { module, env: { JOURNAL: journal, ...env } },
        ),
      stop: () => inHost(({ service }) => service.stop()),
      state: () => inHost(({ service }) => service.state.name),
      url: () => inHost(({ service }) => service.url),
      lines: () => inHost(({ service }) => service.log.lines()),
      journal: () => readFile(journal, 'utf8'),
    })
    if (child.exitCode === null && child.signalCode === null) await app.close()
  },
})

const pidIn = (journal: string, place = 0): number => Number([...journal.matchAll(/^start (\d+)$/gm)].at(place)![1])

test('starts with its environment, answers, and ends when its channel is closed', async ({ children }) => {
  const url = await children.start('child-service', { ANSWER: 'hello' })
  expect(await (await fetch(url)).text()).toBe('hello')
  await children.stop()
  expect(await children.state()).toBe('stopped')
  const journal = await children.journal()
  expect(journal).toMatch(/^start \d+\nchannel closed\n$/)
  // Its parent collects it a moment after it has ended.
  await expect.poll(() => isAlive(pidIn(journal))).toBe(false)
})

test('an exit is reported with its code and followed by a restart', async ({ children }) => {
  await children.start('child-service')
  const ends = await children.app.evaluateHandle(() => {
    const failures: string[] = []
    const { service } = globalThis as HostGlobal
    service.onState((state) => state.name === 'backoff' && failures.push(state.failure))
    return failures
  })
  const starts = async (): Promise<number> => (await children.journal()).match(/start/g)!.length
  // 70 means that a deadline passed and a fresh process is wanted; it differs from every other code.
  for (const [place, path] of ['exit-70', 'crash'].entries()) {
    await fetch(`${await children.url()}/${path}`).catch(() => undefined)
    await expect.poll(starts).toBe(place + 2)
    await expect.poll(children.state).toBe('ready')
  }
  expect(await ends.jsonValue()).toEqual(['deadline_exit', 'exit'])
})

test('one that ignores the request and SIGTERM is killed', async ({ children }) => {
  await children.start('child-service', { FAULT: 'ignore-stop' })
  await children.stop()
  expect(await children.state()).toBe('stopped')
  const journal = await children.journal()
  await expect.poll(() => isAlive(pidIn(journal))).toBe(false)
})

test('of a flood on stderr the last lines are kept', async ({ children }) => {
  await children.start('child-service', { FAULT: 'flood' })
  await expect.poll(async () => (await children.lines()).at(-1)).toBe('noise 19999')
  expect(await children.lines()).toHaveLength(200)
})

test('a child has others started by the host; they end with it, and all with the host', async ({ children }) => {
  const url = await children.start('launching-service', { INNER_ENTRY: join(children.folder, 'child-service.js') })
  expect(await (await fetch(url)).text()).toBe('inner')
  const inner = pidIn(await children.journal())
  await children.stop()
  expect(await children.state()).toBe('stopped')
  await expect.poll(() => isAlive(inner)).toBe(false)

  await children.start('launching-service', { INNER_ENTRY: join(children.folder, 'child-service.js') })
  const again = pidIn(await children.journal(), 1)
  expect(isAlive(again)).toBe(true)
  children.app.process().kill('SIGKILL')
  await expect.poll(() => isAlive(again)).toBe(false)
})

test('a child has work done in a process of its own, which can be killed with its programs and ends with it', async ({
  children,
}) => {
  const url = await children.start('working-service', { SOME_TOKEN: 'secret' })
  const ask = async (task: string): Promise<unknown> => (await fetch(`${url}/${task}`)).json()
  const first = (await ask('sum')) as { pid: number }
  expect(first).toEqual({ task: 'sum', pid: first.pid, sum: 7_000_000, argument: 'one argument', secrets: [] })
  expect(await ask('exit')).toEqual({ end: 'exit code 71' })
  const hung = (await ask('hang')) as { program: number }
  expect(hung).toEqual({ end: 'SIGKILL', program: hung.program })
  await expect.poll(() => isAlive(hung.program)).toBe(false)

  const last = (await ask('sum')) as { pid: number }
  expect(isAlive(last.pid)).toBe(true)
  await children.stop()
  await expect.poll(() => isAlive(last.pid)).toBe(false)
})
