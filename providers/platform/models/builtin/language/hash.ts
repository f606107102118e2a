/**
 * 32-bit hash of a string's UTF-16 units: FNV-1a with murmur3's finaliser, which spreads the last characters over all
 * bits. The seed keeps kinds of features apart. The same on every platform.
 */
export function hash32(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) | 0
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
