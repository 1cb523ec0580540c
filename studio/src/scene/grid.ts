/** Lines on the ground that fade with the distance. */

import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments } from "three";

/** Squares of this width in the plane of x and y, so many to each side. Short pieces let every corner have its own shade. */
export function fadingGrid(spacing: number, count: number, colour: string): LineSegments {
  const places: number[] = [];
  const shades: number[] = [];
  const { r, g, b } = new Color(colour);
  const corner = (i: number, j: number) => {
    const distance = Math.hypot(i, j) / count;
    places.push(i * spacing, j * spacing, 0);
    shades.push(r, g, b, 0.75 * Math.max(0, 1 - distance) ** 1.3);
  };
  for (let i = -count; i <= count; i++) {
    for (let j = -count; j < count; j++) {
      if (Math.hypot(i, j) > count) continue;
      corner(i, j);
      corner(i, j + 1);
      corner(j, i);
      corner(j + 1, i);
    }
  }
  const lines = new BufferGeometry();
  lines.setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
  lines.setAttribute("color", new BufferAttribute(Float32Array.from(shades), 4));
  const grid = new LineSegments(lines, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  grid.frustumCulled = false;
  return grid;
}
