import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAM_NAME } from '../../build/package/package-config.ts'

const run = promisify(execFile)

/** Packaging leaves the app here as it is after its installation. */
const UNPACKED: Partial<Record<NodeJS.Platform, string>> = {
  linux: `dist/linux*-unpacked/${PROGRAM_NAME}`,
  darwin: 'dist/mac*/RAG Ladder.app/Contents/MacOS/*',
  win32: `dist/win*-unpacked/${PROGRAM_NAME}.exe`,
}

function onlyFile(pattern: string): string {
  const files = globSync(pattern)
  assert.equal(files.length, 1, `${pattern} names ${files.length} files: npm run package makes one`)
  return resolve(files[0]!)
}

/** Installs the package that the arguments ask for below `folder`, if any, and returns the program of the app. */
export async function installedProgram(folder: string): Promise<string> {
  if (process.argv.includes('--deb')) return fromDebian(onlyFile('dist/*.deb'), folder)
  if (process.argv.includes('--appimage')) return fromAppImage(onlyFile('dist/*.AppImage'), folder)
  return onlyFile(UNPACKED[process.platform] ?? UNPACKED.linux!)
}

/** By dpkg itself, into a root of its own: its dependencies are those of this machine. */
async function fromDebian(file: string, root: string): Promise<string> {
  for (const part of ['info', 'updates', 'triggers']) await mkdir(join(root, 'var/lib/dpkg', part), { recursive: true })
  await writeFile(join(root, 'var/lib/dpkg/status'), '')
  const flags = ['--force-depends', '--force-not-root', '--force-script-chrootless', '--log=/dev/null']
  await run('dpkg', [`--root=${root}`, ...flags, '--install', file])
  const { stdout } = await run('dpkg', [`--root=${root}`, '--status', 'rag-ladder'])
  assert.match(stdout, /^Status: install ok installed$/m)
  for (const path of [
    'usr/share/applications/rag-ladder.desktop',
    'usr/share/icons/hicolor/512x512/apps/rag-ladder.png',
  ])
    assert(existsSync(join(root, path)), `${path} is not installed`)
  return join(root, 'opt/rag-ladder', PROGRAM_NAME)
}

async function fromAppImage(file: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await run(file, ['--appimage-extract'], { cwd: folder })
  return join(folder, 'squashfs-root', PROGRAM_NAME)
}

/** The folder of the app's files beside or above its program. */
export const resourcesOf = (program: string): string =>
  process.platform === 'darwin' ? join(dirname(program), '../Resources') : join(dirname(program), 'resources')
