import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tests/helpers/temporary-folder.ts'
import { officialElectron, PROGRAM } from './e2e/electron-runtime.ts'
import { fetchElectron } from './electron-program.ts'

// The installer that the package brings, in a copy of the package, against a server of releases that is ours.
const MODULES = join(process.cwd(), 'node_modules')
const NAME = PROGRAM[process.platform]!

let root: string
let server: Server
let asked: string[]

beforeEach(async () => {
  root = await temporaryFolder('electron-fetch')
  asked = []
  const copy = join(root, 'node_modules/electron')
  await mkdir(copy, { recursive: true })
  for (const file of ['install.js', 'package.json', 'checksums.json'])
    await cp(join(MODULES, 'electron', file), join(copy, file))
  for (const scope of ['@electron', '@electron-internal'])
    await symlink(join(MODULES, scope), join(root, 'node_modules', scope), 'junction')
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
})

async function serve(answer: RequestListener): Promise<NodeJS.ProcessEnv> {
  server = createServer((request, response) => {
    asked.push(request.url!.split('/').at(-1)!)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...process.env,
    ELECTRON_MIRROR: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    electron_config_cache: join(root, 'cache'),
  }
}

it('fetches what is missing, once', async () => {
  const { version } = JSON.parse(await readFile(join(MODULES, 'electron/package.json'), 'utf8')) as { version: string }
  const zip = zipSync({ [NAME]: strToU8('the program'), version: strToU8(version) })
  const env = await serve((request, response) => {
    const file = decodeURIComponent(request.url!.split('/').at(-1)!)
    const sum = createHash('sha256').update(zip).digest('hex')
    // The package's own checksums are those of the real one.
    response.end(
      file === 'SHASUMS256.txt' ? `${sum} *electron-v${version}-${process.platform}-${process.arch}.zip` : zip,
    )
  })
  expect(officialElectron(root)).toBeNull()
  const program = join(root, 'node_modules/electron/dist', NAME)
  const remote = { ...env, electron_use_remote_checksums: '1' }
  expect(await fetchElectron(root, remote)).toEqual({ ok: true, program })
  expect(await readFile(program, 'utf8')).toBe('the program')
  expect(officialElectron(root)).toBe(program)
  expect(asked).toHaveLength(2)
  expect(await fetchElectron(root, remote)).toEqual({ ok: true, program })
  expect(asked).toHaveLength(2)
})

it('does not take an interrupted unpacking for an Electron', async () => {
  await serve((_request, response) => response.end())
  const program = join(root, 'node_modules/electron/dist', NAME)
  await mkdir(join(program, '..'), { recursive: true })
  await writeFile(program, 'half')
  expect(officialElectron(root)).toBeNull()
})

it.each<[string, RequestListener, RegExp]>([
  ['a release that is not there', (_request, response) => response.writeHead(404).end(), /404.*electron-v/],
  ['another file than the one released', (_request, response) => response.end('junk'), /checksum/],
  [
    'a connection that breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('a part', () => response.destroy())
    },
    /^the connection broke off$/,
  ],
])('reports what is wrong: %s', async (_what, answer, reason) => {
  expect(await fetchElectron(root, await serve(answer))).toEqual({ ok: false, reason: expect.stringMatching(reason) })
  expect(officialElectron(root)).toBeNull()
  expect(existsSync(join(root, 'node_modules/electron/dist'))).toBe(false)
})

it('reports what is wrong when the server does not answer', async () => {
  const env = await serve((_request, response) => response.end())
  await new Promise((closed) => server.close(closed))
  const reason = 'the server of its releases cannot be reached from here'
  expect(await fetchElectron(root, env)).toEqual({ ok: false, reason })
})
