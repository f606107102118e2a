import type { Marker } from './approach-colours.ts'

const PATHS: Record<Marker, string> = {
  square: 'M-5-5H5V5H-5z',
  circle: 'M0-5.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  diamond: 'M0-6.5 6.5 0 0 6.5-6.5 0z',
  triangle: 'M0-6 6 5H-6z',
  pentagon: 'M0-6 6-1.5 3.7 5.5h-7.4L-6-1.5z',
  cross: 'M-2-6h4v4h4v4H2v4h-4V2h-4v-4h4z',
  hexagon: 'M-3-5.5h6L6 0 3 5.5h-6L-6 0z',
}

/** A marker as a path around the origin, about 12 pixels wide. */
export const markerPath = (marker: Marker): string => PATHS[marker]
