// The icons of the panel: lines of one width on a grid of 24, drawn for this program. An icon never stands alone: a word is beside it, or its button has a name.

const PATHS = {
  home: 'M4 11.5 12 4l8 7.5M6.5 9.5V20h11V9.5M10 20v-5h4v5',
  datasets: 'M5 6.5c0-4 14-4 14 0s-14 4-14 0v11c0 4 14 4 14 0v-11M5 12c0 4 14 4 14 0',
  models: 'M7 7h10v10H7zM10 3.5V7m4-3.5V7m-4 10v3.5m4-3.5v3.5M3.5 10H7m-3.5 4H7m10-4h3.5M17 14h3.5',
  runs: 'M4 4v16h16M8.5 16v-4m4 4V8m4 8v-6',
  tools: 'M3.5 9h17v10.5h-17zM8.5 9V5h7v4m-12 5h17M12 12.5v3',
  settings: 'M4 8h8m4 0h4M4 16h4m4 0h8M14 5.5v5m-4 3v5',
  guide: 'M12 6C9.5 4.5 7 4.3 4 5v13.5c3-.7 5.5-.5 8 1 2.5-1.5 5-1.7 8-1V5c-3-.7-5.5-.5-8 1v13.5',
  search: 'M16 10.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M14.5 14.5 20 20',
  plus: 'M12 5v14M5 12h14',
  more: 'M5.5 11.5v1m6.5-1v1m6.5-1v1',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14',
  edit: 'M5 19l1-4.5L16.5 4 20 7.5 9.5 18zM14 6.5l3.5 3.5',
  star: 'm12 4.5 2.3 4.9 5.2.7-3.8 3.7 1 5.3-4.7-2.6-4.7 2.6 1-5.3-3.8-3.7 5.2-.7z',
} as const

export type IconName = keyof typeof PATHS

/** An icon of 16 pixels in the colour of its text; screen readers leave it out. */
export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
