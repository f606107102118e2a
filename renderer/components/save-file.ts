/** Offers bytes for saving. A page would be opened in this origin; as plain bytes it can only be saved. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const blob = new Blob(parts, { type: type.startsWith('text/html') ? 'application/octet-stream' : type })
  const address = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  URL.revokeObjectURL(address)
}
