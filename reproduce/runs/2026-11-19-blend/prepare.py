import gzip, struct, array
import os
R=os.environ['LIKELIER_DATA']+'/'
def out(name, X, y, kind):
    n,d=len(X),len(X[0])
    cols=[]
    if kind=='std':
        keep=[]
        for j in range(d):
            c=[r[j] for r in X]; m=sum(c)/n; s=(sum((v-m)**2 for v in c)/n)**.5
            if s>0: keep.append([(v-m)/s for v in c])
        cols=keep; d=len(keep)
        a=array.array('f')
        for i in range(n): a.extend([c[i] for c in cols])
    else:
        a=array.array('f')
        for r in X: a.extend([v/255. for v in r])
    with open('%s.bin'%name,'wb') as f:
        f.write(struct.pack('<II',n,d)); f.write(a.tobytes()); f.write(bytes(y))
    print(name,n,d)
for name in ['pendigits','optdigits']:
    X=[];y=[]
    for e in ['tra','tes']:
        for l in open(R+name+'/'+name+'.'+e):
            if l.strip():
                v=[float(t) for t in l.split(',')]; X.append(v[:-1]); y.append(int(int(v[-1])%2==0))
    out(name,X,y,'std')
X=[];y=[]
for e in ['train','test']:
    for l in gzip.open(R+'usps/zip.%s.gz'%e,'rt'):
        v=[float(t) for t in l.split()]
        if v: X.append(v[1:]); y.append(int(int(v[0])%2==0))
out('usps',X,y,'std')
b=gzip.open(R+'mnist/t10k-images-idx3-ubyte.gz').read()[16:]; l=gzip.open(R+'mnist/t10k-labels-idx1-ubyte.gz').read()[8:]
b2=gzip.open(R+'mnist/train-images-idx3-ubyte.gz').read()[16:]; l2=gzip.open(R+'mnist/train-labels-idx1-ubyte.gz').read()[8:]
N=5000
X=[b2[i*784:(i+1)*784] for i in range(N)]+[b[i*784:(i+1)*784] for i in range(3000)]
y=[int(v%2==0) for v in list(l2[:N])+list(l[:3000])]
out('mnist',X,y,'byte')
