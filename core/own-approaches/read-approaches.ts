// The files of own approaches in a project, with what a row keeps of them. Runner and platform read them alike.
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { ApproachParameters } from '../../contract/approaches.ts'
import { Identifier } from '../../contract/common.ts'
import type { AliasDeclaration, ConsumerManifest } from '../../contract/manifests/consumer.ts'
import type { Flavor, FlavorsManifest } from '../../contract/manifests/flavors.ts'
import {
  isHttpApproach,
  OWN_APPROACHES_FOLDER,
  OwnApproach,
  ownApproachFile,
  ownApproachProblems,
  reportsContexts,
} from '../../contract/manifests/own-approaches.ts'
import { describeIssues } from '../issues.ts'
import { readYamlQuickly } from '../quick-yaml.ts'
import { literalKeys } from './literal-keys.ts'

export interface OwnApproachFile {
  name: string
  /** Relative to the project folder. */
  file: string
  approach: OwnApproach
  /** SHA-256 of the file's bytes: what a person allows. */
  digest: string
  /** The program's own file in the project; null where the command names none. */
  program: { file: string; sha256: string } | null
}

interface UnusableApproach {
  name: string
  file: string
  problems: string[]
}

export interface OwnApproaches {
  usable: OwnApproachFile[]
  unusable: UnusableApproach[]
}

const MOST_BYTES = 256 * 1024

/** Every file `approaches/*.yaml` of a project, by name. */
export function readOwnApproaches(root: string): OwnApproaches {
  const folder = resolve(root, OWN_APPROACHES_FOLDER)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[^.].*\.yaml$/.test(name)) : []
  const read = names.toSorted().map((file) => readOwnApproach(root, file.slice(0, -'.yaml'.length)))
  return {
    usable: read.filter((each) => 'approach' in each),
    unusable: read.filter((each) => 'problems' in each),
  }
}

function readOwnApproach(root: string, name: string): OwnApproachFile | UnusableApproach {
  const file = ownApproachFile(name)
  const failed = (...problems: string[]) => ({ name, file, problems })
  if (!Identifier.safeParse(name).success)
    return failed('its name is that of the approach: letters, digits, "_", "-" and "." only')
  let bytes: Buffer
  try {
    bytes = readFileSync(resolve(root, file))
  } catch (error) {
    return failed(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
  if (bytes.length > MOST_BYTES) return failed(`larger than ${MOST_BYTES} bytes`)
  const yaml = readYamlQuickly(bytes.toString('utf8'))
  if (yaml === null) return failed('is not readable as YAML: check indentation, quotes and brackets')
  const parsed = OwnApproach.safeParse(yaml.value)
  if (!parsed.success) return failed(...describeIssues(parsed.error))
  const problems = [...ownApproachProblems(parsed.data), ...literalKeys(parsed.data)]
  if (problems.length > 0) return failed(...problems)
  return { name, file, approach: parsed.data, digest: hash('sha256', bytes), program: programOf(root, parsed.data) }
}

/** The first argument that is a file of the project: the program is what answers, so that a row says which one it was. */
function programOf(root: string, approach: OwnApproach): OwnApproachFile['program'] {
  if (isHttpApproach(approach)) return null
  for (const argument of approach.command) {
    const path = resolve(root, argument)
    const inside = relative(root, path)
    if (inside.startsWith('..') || isAbsolute(inside) || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue
    return { file: inside.replaceAll('\\', '/'), sha256: hash('sha256', readFileSync(path)) }
  }
  return null
}

/** Returns what a row keeps of an own approach: all that its file sets, and the hash of the program. */
function parametersOf({ file, approach, program }: OwnApproachFile): ApproachParameters['own-approach'] {
  const { version: _version, about: _about, ...set } = approach
  const kept = { ...set, file, ...(program === null ? {} : { program: program.file, program_sha256: program.sha256 }) }
  // Without fields that are undefined, which no row has.
  return JSON.parse(JSON.stringify(kept)) as ApproachParameters['own-approach']
}

/** The manifests with the own approaches after the project's aliases and a person's flavors; one whose name is taken is unusable. */
export function withOwnApproaches<Consumer extends Pick<ConsumerManifest, 'aliases'>>(
  consumer: Consumer,
  { flavors }: Pick<FlavorsManifest, 'flavors'>,
  taken: ReadonlySet<string>,
  own: OwnApproaches,
): { consumer: Consumer; flavors: Pick<FlavorsManifest, 'flavors'>; own: OwnApproaches } {
  const clashes = own.usable.filter(({ name }) => taken.has(name))
  const usable = own.usable.filter((each) => !clashes.includes(each))
  const declared = usable.map(({ name, approach }): AliasDeclaration => ({
    alias: name,
    base: 'own-approach',
    experimental: true,
    evidence: reportsContexts(approach) ? 'answer_with_contexts' : 'answer_only',
  }))
  const added = usable.map((each): Flavor => ({
    alias: each.name,
    base: 'own-approach',
    flavor: each.name,
    requires_reingest: false,
    parameters: parametersOf(each),
  }))
  const refused = clashes.map(({ name, file }) => ({
    name,
    file,
    problems: [`${name} is the name of another alias: give the file another name`],
  }))
  return {
    consumer: { ...consumer, aliases: [...consumer.aliases, ...declared] },
    flavors: { flavors: [...flavors, ...added] },
    own: { usable, unusable: [...own.unusable, ...refused] },
  }
}
