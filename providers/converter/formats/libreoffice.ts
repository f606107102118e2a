import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programEnvironment } from '../../../core/program-environment.ts'
import { needsOwnGroup, reportProgram } from '../../kit/work/programs.ts'
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

/** A port without a listener: connections are refused at once. */
const CLOSED_PROXY = { host: '127.0.0.1', port: 9 }

const setting = (path: string, name: string, value: string): string =>
  `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`

/**
 * Settings of a profile that fetches nothing: a document may link to pictures and other files, which LibreOffice would ask for as soon as it opens it.
 * Links of untrusted documents are not followed, no macro runs, and any request that is made nevertheless goes to a proxy that does not exist.
 */
const SETTINGS = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">',
  setting('Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'),
  setting('Office.Common/Security/Scripting', 'DisableActiveContent', 'true'),
  setting('Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'),
  setting('Office.Common/Load', 'UpdateDocMode', '0'),
  setting('Office.Writer/Content/Update', 'Link', '0'),
  setting('Inet/Settings', 'ooInetProxyType', '1'),
  ...['HTTP', 'HTTPS', 'FTP'].flatMap((kind) => [
    setting('Inet/Settings', `ooInet${kind}ProxyName`, CLOSED_PROXY.host),
    setting('Inet/Settings', `ooInet${kind}ProxyPort`, String(CLOSED_PROXY.port)),
  ]),
  setting('Inet/Settings', 'ooInetNoProxy', ''),
  '</oor:items>',
].join('\n')

/** The same for libraries that go by the environment. */
const proxyUrl = `http://${CLOSED_PROXY.host}:${CLOSED_PROXY.port}`
const PROXY_VARIABLES = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy'].flatMap((name) => [
    [name, proxyUrl],
    [name.toUpperCase(), proxyUrl],
  ]),
)

/** This starts a program without any network, where the system can: a network of its own that leads nowhere (Linux with user namespaces). */
const ISOLATION = ['unshare', '--user', '--map-root-user', '--net', '--'] as const
let isolation: Promise<readonly string[]> | null = null

async function isolated(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  isolation ??= (async () => {
    const [program, ...args] = ISOLATION
    const trial = spawn(program, [...args, 'true'], { stdio: 'ignore', env: programEnvironment(process.env) })
    const works = await once(trial, 'close').then(
      ([code]) => code === 0,
      () => false,
    )
    return works ? ISOLATION : []
  })()
  return isolation
}

/**
 * An old Office file in the new format of its kind. Macros do not run and nothing is fetched: each call has a profile of its own, and no network where the
 * system allows that; `mayIsolate` off leaves it to the profile. Throws `damaged` where nothing comes back.
 */
export async function modernize(
  program: string,
  bytes: Uint8Array,
  from: 'doc' | 'ppt' | 'rtf',
  to: 'docx' | 'pptx',
  mayIsolate = true,
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-office-'))
  try {
    const input = join(folder, `input.${from}`)
    await writeFile(input, bytes)
    const profile = join(folder, 'profile')
    await mkdir(join(profile, 'user'), { recursive: true })
    await writeFile(join(profile, 'user', 'registrymodifications.xcu'), SETTINGS)
    const out = join(folder, 'out')
    const args = [`-env:UserInstallation=${pathToFileURL(profile).href}`, '--headless', '--norestore']
    const [command, ...rest] = [
      ...(mayIsolate ? await isolated() : []),
      program,
      ...args,
      '--convert-to',
      to,
      '--outdir',
      out,
      input,
    ]
    const child = spawn(command, rest, {
      stdio: 'ignore',
      detached: needsOwnGroup(),
      env: { ...programEnvironment(process.env), ...PROXY_VARIABLES },
    })
    reportProgram(child)
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${program} ended with ${code ?? 'a signal'}`)
    return await readFile(join(out, `input.${to}`))
  } catch (error) {
    throw new ConversionError('damaged', `LibreOffice cannot read the ${from.toUpperCase()} file`, { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
