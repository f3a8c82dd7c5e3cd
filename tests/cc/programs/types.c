// All arithmetic types with C's promotions and conversions, compound assignment, ++ and --.
#include <stdint.h>
#include <stdio.h>

#define N 40

static signed char sc[N];
static unsigned char uc[N];
static short ss[N];
static unsigned short us[N];
static int si[N];
static unsigned ui[N];
static long sl[N];
static unsigned long ul[N];
static long long sll[N];
static uint64_t ull[N];
static float f[N];
static double d[N];
static _Bool b[N];
static char ch[N];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    sc[i] = (signed char)(i * 37);
    uc[i] = (unsigned char)(i * 91);
    ss[i] = (short)(i * 12345);
    us[i] = (unsigned short)(i * 54321);
    si[i] = i * 1234567 - 20000000;
    ui[i] = (unsigned)i * 3456789012u;
    sl[i] = i * 12345678901L - 200000000000L;
    ul[i] = (unsigned long)i * 12345678901234567UL;
    sll[i] = i - 20;
    ull[i] = (uint64_t)i << 58;
    f[i] = (float)i / 3.0f;
    d[i] = i / 7.0 - 2;
    b[i] = i % 3;
    ch[i] = (char)(i + 'A');
  }
}

static void show(const char *name) {
  unsigned long h = 7;
  for (int i = 0; i < N; i++) {
    h = h * 31 + (unsigned long)sc[i] + uc[i] * 3UL + (unsigned long)ss[i] * 5 + us[i] * 7UL;
    h = h * 31 + (unsigned long)si[i] + ui[i] * 3UL + (unsigned long)sl[i] * 5 + ul[i] * 7;
    h = h * 31 + (unsigned long)sll[i] + ull[i] * 3 + b[i] * 11UL + (unsigned long)ch[i];
    union { float f; unsigned u; } x = {f[i]};
    union { double d; unsigned long u; } y = {d[i]};
    h = h * 31 + x.u + y.u * 3;
  }
  printf("%s %lx\n", name, h);
}

static void promotions(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    sc[i] = sc[i] + uc[i];
    uc[i] += 200;
    ss[i] = ss[i] * us[i] % 1000;
    us[i] -= sc[i];
    si[i] = si[i] / 3 + uc[i] % 7 - (si[i] >> 2);
    ui[i] = ui[i] * 3u + si[i] - 5;
    ui[i] = ui[i] / 3 + (ui[i] >> 3) + (ui[i] % 17);
    sl[i] += si[i] - ui[i];
    sl[i] = sl[i] / -7 + (sl[i] & 0xff0f) - (sl[i] ^ si[i]);
    ul[i] = ul[i] / 3 + si[i] + (ul[i] << 2 | 1u);
    sll[i] <<= 2;
    sll[i] = -sll[i] + ~sll[i] + +sc[i];
    ull[i] = ull[i] > 5 ? ull[i] - 6u : 9;
    b[i] = b[i] + 1.5 > 2 || d[i] < 0;
    ch[i]++;
    --ch[i];
    ch[i] += 2;
  }
#pragma endscop
}

static void floats(int n, float a, double c) {
#pragma scop
  for (int i = 0; i < n; i++) {
    f[i] = f[i] * a + c;
    f[i] = f[i] * 1.1 + 2.5f;
    d[i] = f[i] * a + d[i] / 3;
    d[i] += f[i] - si[i] + ui[i];
    f[i] += ul[i];
    d[i] = -d[i] + (float)d[i] + (int)f[i] % 3;
    f[i] -= sl[i] * 1e-9f;
    us[i] = d[i] > 0 && d[i] < 60000 ? d[i] : 3;
    si[i] = (int)(d[i] * 1e-12) + (i * 2 > 11) + (d[i] == f[i]) - (f[i] != 0);
    uc[i] = (unsigned char)si[i] + (short)ui[i];
    d[i]++;
    f[i]--;
    d[i] = d[i] < 0 ? i : d[i];
    b[i] = f[i];
    sl[i] = i;
    d[i] /= 0x1.8p1;
    ch[i] = 'x' + (ch[i] == '\n');
  }
#pragma endscop
}

static void mixed(int n, unsigned u, long l) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (i - 20 < u)
      si[i] += 1;
  for (int i = 0; i < n; i++)
    if (i < l && l < 100)
      si[i] += (int)l;
  for (int i = 0; i < n; i++)
    if ((unsigned)(i - 5) < 10u)
      ui[i] += u * i;
  for (unsigned i = 0; i < 30u; i++)
    if (i - 1 < u)
      ui[i] = ui[i] - i;
  for (int i = 0; i < n; i++)
    si[i] = si[i] + i % -3 + (i - 20) / 3 + (i - 20) % 4;
#pragma endscop
}

int main(void) {
  fill();
  promotions(N);
  show("promotions");
  floats(N, 1.7f, -0.3);
  show("floats");
  mixed(N, 10, 30);
  mixed(N, 4000000000u, -4);
  show("mixed");
  return 0;
}
