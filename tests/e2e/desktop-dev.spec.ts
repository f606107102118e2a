import { once } from 'node:events'
import { spawn, type ChildProcess } from 'node:child_process'
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test as base, type Page } from '@playwright/test'
import { attachWindow } from '../helpers/attach-window.ts'
import { skipTour, smokeProject } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const COPIED = [
  'build',
  'charts',
  'contract',
  'core',
  'docs',
  'main',
  'preload',
  'providers',
  'renderer',
  'manifests',
  'package.json',
]
const CONFIGS = ['tsconfig.json', 'tsconfig.base.json', 'electron.vite.config.ts', 'renderer.vite.config.ts']

/** `npm run dev` in a copy of this checkout that may be edited. */
interface Development {
  folder: string
  /** Page of the next window: of the first start, or of one after an edit of the shell. */
  nextPage: () => Promise<Page>
}

/** Gives each address of a debugger that a process prints, one after the other. Rejects when it ends before. */
function debuggersOf(child: ChildProcess, output: () => string): () => Promise<string> {
  const found: string[] = []
  const waiting: ((address: string) => void)[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address === undefined) return
    const next = waiting.shift()
    if (next === undefined) found.push(address)
    else next(address)
  })
  return () => {
    const address = found.shift()
    if (address !== undefined) return Promise.resolve(address)
    return new Promise((resolve, reject) => {
      waiting.push(resolve)
      child.once('close', () => reject(new Error(`it ended\n${output()}`)))
    })
  }
}

const test = base.extend<{ development: Development }>({
  development: async ({ browserName: _ }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-dev-'))
    const project = await smokeProject()
    await skipTour(project)
    for (const name of [...COPIED, ...CONFIGS])
      await cp(join(PROJECT_ROOT, name), join(folder, name), { recursive: true })
    await symlink(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const flags = ['--project', project, `--user-data-dir=${folder}/data`, '--remote-debugging-port=0']
    const child = spawn(process.execPath, ['build/dev.ts', ...flags], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'close')
    const nextDebugger = debuggersOf(child, () => output)
    await use({ folder, nextPage: () => attachOrRestart(nextDebugger, folder) })
    child.kill('SIGTERM')
    await ended
    for (const used of [folder, project]) await rm(used, { recursive: true, force: true, maxRetries: 5 })
  },
})

/** A window that never answers its debugger stays so; the app is started again then, as after any edit of the shell. */
async function attachOrRestart(nextDebugger: () => Promise<string>, folder: string): Promise<Page> {
  const address = await nextDebugger()
  try {
    return await attachWindow(address, 2)
  } catch {
    console.log('the window of the app cannot be attached to: the app is started again')
    await appendFile(join(folder, 'main/shell/main-window.ts'), '\n')
    return attachWindow(await nextDebugger())
  }
}

/** Replaces a text everywhere in a file of the copy. */
async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  expect(text).toContain(from)
  await writeFile(file, text.replaceAll(from, to))
}

test('an edit of a page shows in the open window, an edit of the shell restarts it', async ({ development }) => {
  // A server of pages, a build of the shell and two starts of the app.
  const { folder, nextPage } = development
  const page = await nextPage()
  const refused: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|WebSocket/.test(message.text())) refused.push(message.text())
  })
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible({ timeout: 60_000 })
  await page.evaluate('window.isTheSame = true')
  await edit(join(folder, 'renderer/features/home/home-words.ts'), `home: 'Home'`, `home: 'Edited'`)
  await expect(page.getByRole('heading', { level: 1, name: 'Edited' })).toBeVisible()
  expect(await page.evaluate('window.isTheSame')).toBe(true)
  expect(refused).toEqual([])
  // Requests that the shipped policy refuses are refused here too.
  await expect(page.evaluate(`fetch('https://example.org/')`)).rejects.toThrow(/fetch/)

  await edit(join(folder, 'main/shell/main-window.ts'), `title: 'RAG Ladder'`, `title: 'Another title'`)
  const again = await nextPage()
  await expect(again.getByRole('heading', { level: 1, name: 'Edited' })).toBeVisible({ timeout: 60_000 })
})
