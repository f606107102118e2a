import { readFile } from 'node:fs/promises'

/** Precedes the fuses in every Electron binary; the order of what follows is part of its format, version 1. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const VERSION = 1
const NAMES = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const

export type FuseName = (typeof NAMES)[number]

/**
 * The fuses of an Electron program as its bytes hold them; those that its version does not have are absent. Throws when it has no wire
 * of version 1.
 */
export async function readFuses(program: string): Promise<Partial<Record<FuseName, boolean>>> {
  const bytes = await readFile(program)
  const start = bytes.indexOf(SENTINEL)
  if (start === -1) throw new Error(`${program} has no fuses: is it Electron's binary?`)
  const [version, count] = [bytes[start + SENTINEL.length], bytes[start + SENTINEL.length + 1]!]
  if (version !== VERSION) throw new Error(`${program}: the fuses have format ${version}, not ${VERSION}`)
  const wire = bytes.toString('latin1', start + SENTINEL.length + 2, start + SENTINEL.length + 2 + count)
  return Object.fromEntries(
    NAMES.flatMap((name, place) => {
      const state = wire[place]
      return state === '0' || state === '1' ? [[name, state === '1']] : []
    }),
  )
}
