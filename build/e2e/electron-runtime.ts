import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Program file inside a folder of Electron's files. */
export const PROGRAM: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
  linux: 'electron',
}

/** The program inside a folder of Electron files; null when it is not there. */
export const programIn = (folder: string): string | null => {
  const program = join(folder, PROGRAM[process.platform] ?? 'electron')
  return existsSync(program) ? program : null
}

/** The folder of Electron's files that a program is part of. */
export const folderOf = (program: string): string =>
  program.slice(0, -(PROGRAM[process.platform] ?? 'electron').length - 1)

/** The official binary, where it has been fetched and unpacked to the end: the installer writes `path.txt` last. */
export function officialElectron(root = process.cwd()): string | null {
  const folder = join(root, 'node_modules/electron')
  return existsSync(join(folder, 'path.txt')) ? programIn(join(folder, 'dist')) : null
}

function cachedElectron(): string | null {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rag-ladder-tests')
  const names = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('electron-')) : []
  return (
    names
      .sort()
      .reverse()
      .map((name) => programIn(join(cache, name)))
      .find((program) => program !== null) ?? null
  )
}

/** A command of the person's own that prints the folder of an Electron. */
async function askedElectron(): Promise<string | null> {
  const command = process.env['RAG_LADDER_ELECTRON_RUNTIME']
  if (command === undefined || command === '') return null
  try {
    const { stdout } = await promisify(execFile)(command, [], { timeout: 180_000 })
    return programIn(stdout.trim().split('\n').at(-1) ?? '')
  } catch (error) {
    console.log(`RAG_LADDER_ELECTRON_RUNTIME: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/** An Electron that the specs can run in; null when there is none. Nothing is downloaded. */
export async function findElectron(): Promise<string | null> {
  const named = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (named !== undefined && named !== '') return programIn(named)
  return officialElectron() ?? cachedElectron() ?? (await askedElectron())
}

/** Libraries that a program wants and this machine lacks; empty where that is unknown. */
export async function missingLibraries(program: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const { stdout } = await promisify(execFile)('ldd', [program]).catch(() => ({ stdout: '' }))
  return stdout.split('\n').flatMap((line) => (line.includes('not found') ? [line.trim().split(' ')[0]!] : []))
}

/** Version of an Electron by the file beside it; null when there is none. */
export function versionOf(program: string): string | null {
  const file = join(program, '..', 'version')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().replace(/^v/, '') : null
}
