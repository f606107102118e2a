/** One file of a model, and where it comes from. */
export interface DeclaredFile {
  /** Place in the model's folder, with slashes on every system. */
  path: string
  url: string
  /** Null: as the server reports. */
  sizeBytes: number | null
  /** In hexadecimal digits. Null: the digest of its first fetch, and then the one that the hub reports; a server that reports none is refused. */
  sha256: string | null
}

/** A model that can be fetched at its first use. */
export interface DeclaredModel {
  /** Its folder in the cache; may have slashes, as hub names do. */
  id: string
  /** As it is shown before and after the download: an SPDX identifier where there is one. */
  license: string
  /** A page for people: what it is, who made it, under which terms. */
  sourcePage: string
  files: readonly DeclaredFile[]
  /** Never run by the project on its real weights; `docs/real-models.md` lists what was run. */
  experimental?: boolean
}

const HUB = 'https://huggingface.co'

/** The page of a repository on the hub. */
export function hubPage(repository: string): string {
  return `${HUB}/${repository}`
}

/** Files of one repository on the hub at one revision, which is a commit wherever one is known: names can move, commits cannot. */
export function hubFiles(
  repository: string,
  revision: string,
  files: readonly { path: string; sha256?: string; sizeBytes?: number }[],
): DeclaredFile[] {
  return files.map(({ path, sha256, sizeBytes }) => ({
    path,
    url: `${HUB}/${repository}/resolve/${revision}/${path}`,
    sha256: sha256 ?? null,
    sizeBytes: sizeBytes ?? null,
  }))
}

/** Returns true when the declaration defines which bytes are right: by a checksum of each file, or by a commit. Other sources can replace what they send. */
export function isPinned({ files }: DeclaredModel): boolean {
  return files.every(({ sha256, url }) => sha256 !== null || /\/resolve\/[0-9a-f]{40}\//.test(url))
}

/** The file's address on the hub that `HF_ENDPOINT` names, as other tools of this field read it; addresses elsewhere stay. */
export function onHub(url: string, hub: string): string {
  return url.startsWith(`${HUB}/`) ? hub + url.slice(HUB.length) : url
}

/** Throws when an identifier or a path would lead out of the cache: a mistake of the declaration, or of a caller who names a model. */
export function assertInside(name: string): void {
  const parts = name.split('/')
  if (parts.every((part) => /^[\w][\w.@+-]*$/.test(part))) return
  throw new Error(`"${name}" is not the name of a model or of one of its files`)
}
