import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { needsOwnGroup, tellOfProgram } from '../../kit/work/program-news.ts'
import { ConversionError } from '../model/conversion-error.ts'

const USUAL_PLACES = [
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
  'C:\\Program Files\\LibreOffice\\program\\soffice.exe',
  '/usr/lib/libreoffice/program/soffice',
]

/** LibreOffice's program: `LIBREOFFICE_PATH`, else on the search path, else where it is usually installed. Null where there is none. */
export async function findLibreOffice(env: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const named = env['LIBREOFFICE_PATH']
  const searched = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates =
    named === undefined || named === ''
      ? [...searched.flatMap((folder) => ['soffice', 'libreoffice'].map((name) => join(folder, name))), ...USUAL_PLACES]
      : [named]
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate
  return null
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** An old Office file in the new format of its kind. Macros do not run: each call has a profile of its own. Throws `damaged` where nothing comes back. */
export async function modernize(
  program: string,
  bytes: Uint8Array,
  from: 'doc' | 'ppt',
  to: 'docx' | 'pptx',
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-office-'))
  try {
    const input = join(folder, `input.${from}`)
    await writeFile(input, bytes)
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
    const args = [profile, '--headless', '--norestore', '--convert-to', to, '--outdir', join(folder, 'out'), input]
    const child = spawn(program, args, { stdio: 'ignore', detached: needsOwnGroup() })
    tellOfProgram(child)
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${program} ended with ${code ?? 'a signal'}`)
    return await readFile(join(folder, 'out', `input.${to}`))
  } catch (error) {
    throw new ConversionError('damaged', `LibreOffice cannot read the ${from.toUpperCase()} file`, { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
