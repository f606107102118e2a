import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The first of the names that is a program on PATH; null when none is. */
export function findOnPath(names: string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null
}

const CHROMIUM_PLACES: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
}

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** The same pages without a browser around them: starts and draws in half the time. */
export const QUICK_BROWSER = 'chromium-headless-shell'

/** A Chromium: the one that RAG_LADDER_CHROMIUM names, else one that is installed, by preference a whole browser or a quick one; null when there is none. */
export function findChromium(preferred: 'whole' | 'quick'): string | null {
  const named = process.env['RAG_LADDER_CHROMIUM']
  if (named !== undefined && named !== '') return named
  return (
    findOnPath(preferred === 'quick' ? [QUICK_BROWSER, ...BROWSERS] : [...BROWSERS, QUICK_BROWSER]) ??
    CHROMIUM_PLACES[process.platform]?.find(isExecutable) ??
    null
  )
}

/** The folder of a PostgreSQL server's programs: of the newest version in Debian's place, else what PATH names; null when there is none. */
export function findPostgres(): string | null {
  const debian = '/usr/lib/postgresql'
  let versions: string[] = []
  try {
    versions = readdirSync(debian).sort((a, b) => Number(b) - Number(a))
  } catch {
    // Not Debian: PATH decides.
  }
  const inPlace = versions.map((version) => join(debian, version, 'bin', 'initdb')).find(isExecutable)
  const initdb = inPlace ?? findOnPath(['initdb'])
  return initdb === null ? null : dirname(initdb)
}
