/**
 * A duration in the unit that reads best: 4.2 ms, 840 ms, 12.4 s, 3 min 20 s, 2 h 5 min. Rounded before it is split, so that no part reaches
 * 60. Command line, reports and pages all show durations with it.
 */
export function durationWords(milliseconds: number): string {
  if (milliseconds === 0) return '0 ms'
  if (milliseconds < 9.95) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 99_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
