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
