// Edits the files of the person who works in a project, `.rag-ladder/models.yaml` and `.rag-ladder/flavors.yaml`. Comments and the order of a file
// stay as they are. What is written has been validated together with the project's manifests, so that no edit leaves a file that cannot be loaded.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Document, isMap, parseDocument } from 'yaml'
import type { z } from 'zod'
import { describeIssues, fieldPath } from '../../core/issues.ts'
import { orIfMissing } from '../lib/files/missing-file.ts'
import { writeAtomic } from '../lib/files/write-atomic.ts'
import { parseYaml } from './load-manifest.ts'
import { ManifestError } from './manifest-error.ts'

export interface OwnFileEdit {
  path: readonly string[]
  /** Undefined removes what is there. */
  value: unknown
}

/** A file of a person's own, and what it must be. */
interface OwnFile<Schema extends z.ZodType> {
  /** Relative to the project folder. */
  file: string
  version: 1 | 2
  schema: Schema
  /** Members of the file that are removed when nothing is left in them. */
  maps: readonly string[]
  /** Returns what is wrong with it beside the project's manifests. */
  problemsOf: (value: z.output<Schema>) => Promise<readonly { path: readonly string[]; message: string }[]>
}

/** Makes the edits and writes the file. Throws `ManifestError` with the file unchanged when the result cannot be used. */
export async function editOwnFile<Schema extends z.ZodType>(
  root: string,
  { file, version, schema, maps, problemsOf }: OwnFile<Schema>,
  edits: readonly OwnFileEdit[],
): Promise<void> {
  const path = resolve(root, file)
  const text = await orIfMissing(readFile(path, 'utf8'), null)
  // Refuses a file that is damaged, with line and column.
  if (text !== null) parseYaml(file, text)
  const document = text === null ? new Document({ version }) : parseDocument(text, { merge: true })
  document.set('version', version)
  document.delete('schema_version')
  for (const { path: member, value } of edits)
    if (value !== undefined) document.setIn(member, document.createNode(value, { aliasDuplicateObjects: false }))
    else if (document.hasIn(member)) document.deleteIn(member)
  // An empty map is written on one line, and what is added to it later would be too.
  for (const part of maps) {
    const map = document.get(part)
    if (isMap(map) && map.items.length === 0) document.delete(part)
  }
  const written = document.toString({ lineWidth: 140 })
  const parsed = schema.safeParse(parseYaml(file, written))
  if (!parsed.success) throw new ManifestError(file, describeIssues(parsed.error))
  const problems = await problemsOf(parsed.data)
  if (problems.length > 0)
    throw new ManifestError(
      file,
      problems.map(({ path: member, message }) => `${fieldPath(member)}: ${message}`),
    )
  await writeAtomic(path, written)
}
