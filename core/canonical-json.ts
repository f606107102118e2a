/** Compact JSON with object keys sorted by code unit, so that equal values give equal text. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`canonical JSON cannot hold ${value}`)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  // Built by appending: this runs for every cell of a plan.
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value as unknown[])
      text += `${text === '' ? '' : ','}${canonicalJson(item === undefined ? null : item)}`
    return `[${text}]`
  }
  const members = value as Record<string, unknown>
  for (const key of Object.keys(members).sort())
    if (members[key] !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(members[key])}`
  return `{${text}}`
}
