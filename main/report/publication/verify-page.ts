import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { hashFile } from '../../lib/files/hash-file.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'

/** A file that a report page names, as it is now. */
interface PageFile {
  /** As the page names it, relative to the page. */
  name: string
  state: 'same' | 'changed' | 'missing'
}

const MARK = /data-file="([^"]*)" data-sha256="([0-9a-f]{64})"/g
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&#39;': "'" }

/**
 * Compares the files beside a report page with the hashes in it: what the page's script does, for who has it on disk. Empty for a page that
 * carries none. Rejects with the system's error for files that are there and cannot be read.
 */
export async function verifyPage(page: string): Promise<PageFile[]> {
  const text = await readFile(page, 'utf8')
  const found: PageFile[] = []
  for (const [, href, sha256] of text.matchAll(MARK)) {
    const name = decodeURIComponent(href!.replace(/&(?:amp|#39);/g, (entity) => ENTITIES[entity]!))
    const now = await orIfMissing(hashFile(resolve(dirname(page), name)), null)
    found.push({ name, state: now === null ? 'missing' : now.sha256 === sha256 ? 'same' : 'changed' })
  }
  return found
}
