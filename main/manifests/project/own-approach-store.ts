// Writes, allows and removes the files of own approaches, for the command line and the panel alike. Decision 226.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { Identifier } from '../../../contract/common.ts'
import type { OwnApproachView } from '../../../contract/control/own-approaches.ts'
import {
  isHttpApproach,
  OwnApproach,
  ownApproachFile,
  ownApproachProblems,
} from '../../../contract/manifests/own-approaches.ts'
import { describeIssues } from '../../../core/issues.ts'
import { isRecord, messageOf } from '../../../core/json.ts'
import { literalKeys } from '../../../core/own-approaches/literal-keys.ts'
import { readOwnApproaches, type OwnApproachFile } from '../../../core/own-approaches/read-approaches.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { distrustFile, trustedDigests, trustFile } from '../../lib/trust/trusted-files.ts'
import type { Experiment } from '../experiment.ts'
import { InputError } from '../runner-inputs.ts'

/** Throws `InputError` for a name that an alias, a flavor or another own approach has. */
export function refuseTakenName({ aliases, ownApproaches }: Experiment, name: string): void {
  if (!Identifier.safeParse(name).success)
    throw new InputError([`invalid name ${name}: expected letters, digits, "_", "-" and "." only`])
  if (aliases.has(name) || ownApproaches.unusable.some((each) => each.name === name))
    throw new InputError([`name: the name ${name} is taken: choose another, or remove what has it`])
}

/** The fields of a file, without empty groups. */
const fieldsOf = (values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ version: 1, ...values }).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  )

/** An approach that is in no file yet, to be tested. Throws `InputError` with the problem of each field. */
export function ownApproachOf(name: string, values: object): OwnApproachFile {
  const parsed = OwnApproach.safeParse(fieldsOf(values))
  if (!parsed.success) throw new InputError(describeIssues(parsed.error))
  const problems = [...ownApproachProblems(parsed.data), ...literalKeys(parsed.data)]
  if (problems.length > 0) throw new InputError(problems)
  return { name, file: ownApproachFile(name), approach: parsed.data, digest: '', program: null }
}

/** Writes the file of a new approach and allows it, because the person wrote it here. A file that cannot be used is not left. */
export async function storeOwnApproach(root: string, name: string, values: object): Promise<void> {
  const file = ownApproachFile(name)
  const path = join(root, file)
  await mkdir(dirname(path), { recursive: true })
  await writeAtomic(path, stringify(fieldsOf(values)))
  const wrong = readOwnApproaches(root).unusable.find((each) => each.name === name)
  if (wrong !== undefined) {
    await rm(path)
    throw new InputError(wrong.problems)
  }
  trustFile(path)
}

/** Allows a file whose content is still the one that the person was shown. Throws `InputError` for another content. */
export function allowOwnApproach(root: string, name: string, digest: string): void {
  const found = readOwnApproaches(root).usable.find((each) => each.name === name)
  if (found === undefined) throw new InputError([`name: no own approach that can be used is named ${name}`])
  if (found.digest !== digest)
    throw new InputError([`${found.file} has changed since it was shown: read it again, then allow it`])
  trustFile(resolve(root, found.file))
}

/** Removes the file and its trust; returns its text. Throws `InputError` where there is none. */
export async function removeOwnApproach(root: string, name: string): Promise<string> {
  const file = ownApproachFile(name)
  const path = resolve(root, file)
  if (!Identifier.safeParse(name).success || !existsSync(path)) throw new InputError([`there is no ${file}`])
  const text = await readFile(path, 'utf8').catch((error: unknown) => messageOf(error))
  distrustFile(path)
  await rm(path)
  return text
}

/** Every file of an own approach with its content, and whether this person has allowed it. Nothing is run or called. */
export async function ownApproachViews({
  root,
  ownApproaches,
}: Pick<Experiment, 'root' | 'ownApproaches'>): Promise<OwnApproachView[]> {
  const trusted = trustedDigests(ownApproaches.usable.map(({ file }) => resolve(root, file)))
  const textOf = (file: string): Promise<string> => readFile(resolve(root, file), 'utf8').catch(messageOf)
  const usable = ownApproaches.usable.map(async ({ name, file, approach, digest }): Promise<OwnApproachView> => ({
    name,
    file,
    kind: approach.kind,
    called: isHttpApproach(approach) ? approach.url : approach.command.join(' '),
    text: await textOf(file),
    digest,
    allowed: trusted.includes(digest),
    problems: [],
  }))
  const unusable = ownApproaches.unusable.map(async ({ name, file, problems }): Promise<OwnApproachView> => ({
    name,
    file,
    kind: null,
    called: null,
    text: (await textOf(file)).slice(0, 20_000),
    digest: null,
    allowed: false,
    problems,
  }))
  return Promise.all([...usable, ...unusable])
}
