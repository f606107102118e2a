const MOST_LETTERS = 120

/** Returns what a corpus may call a document: letters, digits, blanks, `_`, `-` and `.`, a letter or digit at both ends. `document` when nothing is left. */
export function documentName(fileName: string): string {
  const stem = fileName.replace(/\.[^.]*$/, '')
  const plain = stem.normalize('NFC').replaceAll(/[^\p{L}\p{N}_ .-]+/gu, '-')
  const inner = plain
    .replace(/^[ .-]+/, '')
    .slice(0, MOST_LETTERS)
    .replace(/[ .-]+$/, '')
  return inner === '' ? 'document' : inner
}

/** A dataset's id from its label: lower-case letters, digits and `_`, a letter first. */
export function datasetId(label: string): string {
  const plain = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, 60)
    .replace(/_+$/, '')
  return plain === '' ? '' : /^[a-z]/.test(plain) ? plain : `d_${plain}`
}
