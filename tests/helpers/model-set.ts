import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The service that a connection calls. */
interface Service {
  url: string
  timeoutS?: number
}

/**
 * Writes a model set and a connection of the same name into a project. `change` gives roles of the built-in set, which are lines of YAML, a model of
 * that connection; the others keep their rules.
 */
export async function writeModelSet(
  root: string,
  name: string,
  { url, timeoutS }: Service,
  change: (roles: string) => string,
): Promise<void> {
  const manifest = await readFile(join(root, 'manifests/models.yaml'), 'utf8')
  const builtin = /  builtin:\n[\s\S]*?    roles: &rules\n([\s\S]*?)  local-embeddings:/.exec(manifest)![1]!
  const limit = timeoutS === undefined ? '' : `, timeout_s: ${timeoutS}`
  await mkdir(join(root, '.rag-ladder'), { recursive: true })
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    `version: 2\nconnections: { ${name}: { kind: compatible, base_url: '${url}'${limit} } }\nsets:\n  ${name}:\n    roles:\n${change(builtin)}`,
  )
}
